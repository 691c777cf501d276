package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineInfo;
import dev.weir.gateway.query.BufferCompression;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallInfo;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClientMiddleware;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.BigIntVector;

/** A real front on a free port over a scripted query service, and real clients; all memory is back at its end. */
final class FrontHarness implements AutoCloseable {

    static final int MAX_PREPARED = 100;
    static final Duration TICKET_TTL = Duration.ofMinutes(10);
    static final Duration POLL_TIMEOUT = Duration.ofMinutes(1);
    static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(10);

    final BufferAllocator allocator = new RootAllocator();
    final ManualClock clock = new ManualClock();
    final FakeQueries queries = new FakeQueries(allocator);
    final FakeAuthenticator authenticator = new FakeAuthenticator();
    final FlightSqlFront front;
    private final FlightTls tls;
    private final List<AutoCloseable> clients = new ArrayList<>();

    FrontHarness() {
        this(null, Duration.ofSeconds(30));
    }

    FrontHarness(FlightTls tls, Duration stall) {
        this.tls = tls;
        FlightSqlSettings settings = new FlightSqlSettings(
                "127.0.0.1",
                0,
                tls,
                16 << 20,
                32 << 10,
                TICKET_TTL,
                POLL_TIMEOUT,
                CLAIM_TIMEOUT,
                MAX_PREPARED,
                Duration.ofHours(1),
                Duration.ofHours(1),
                1,
                32,
                BufferCompression.NONE,
                stall);
        front = new FlightSqlFront(
                settings,
                new FlightSqlBackend(
                        queries,
                        authenticator,
                        new FakeSigner(clock),
                        new EngineInfo("duckdb", "v1.0", false),
                        true,
                        "1.2.3"),
                allocator,
                clock);
        front.start();
    }

    /** A client that sends these headers with every call. */
    FlightSqlClient client(String... headers) {
        return new FlightSqlClient(flight(headers));
    }

    FlightClient flight(String... headers) {
        return flight(FlightClient.builder(), headers);
    }

    FlightClient flight(FlightClient.Builder builder, String... headers) {
        Location location = tls == null
                ? Location.forGrpcInsecure("127.0.0.1", front.port())
                : Location.forGrpcTls("localhost", front.port());
        FlightClient client = builder.allocator(allocator)
                .location(location)
                .intercept(info -> new Headers(info, headers))
                .build();
        clients.add(client);
        return client;
    }

    /** A client that shows its password with every call. */
    FlightSqlClient as(String user, String... moreHeaders) {
        return new FlightSqlClient(flightAs(user, moreHeaders));
    }

    FlightClient flightAs(String user, String... moreHeaders) {
        List<String> headers =
                new ArrayList<>(List.of("authorization", basic(user, FakeAuthenticator.passwordOf(user))));
        headers.addAll(List.of(moreHeaders));
        return flight(headers.toArray(String[]::new));
    }

    static String basic(String user, String password) {
        return "Basic " + Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    }

    static List<Long> read(FlightSqlClient client, FlightInfo info) throws Exception {
        return numbers(client.getStream(info.getEndpoints().get(0).getTicket()));
    }

    static List<Long> read(FlightClient client, Ticket ticket) throws Exception {
        return numbers(client.getStream(ticket));
    }

    static List<Long> numbers(FlightStream stream) throws Exception {
        try (stream) {
            List<Long> numbers = new ArrayList<>();
            while (stream.next()) {
                BigIntVector vector = (BigIntVector) stream.getRoot().getVector(0);
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    numbers.add(vector.get(row));
                }
            }
            return numbers;
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable client : clients) {
            client.close();
        }
        front.stop(Duration.ofSeconds(5));
        assertThat(allocator.getAllocatedMemory()).as("Arrow memory at the end").isZero();
        allocator.close();
    }

    /** Sends fixed headers and keeps those of the last answer. */
    static final class Headers implements FlightClientMiddleware {
        private final String[] headers;

        Headers(CallInfo info, String[] headers) {
            this.headers = headers;
        }

        @Override
        public void onBeforeSendingHeaders(CallHeaders outgoing) {
            for (int i = 0; i < headers.length; i += 2) {
                outgoing.insert(headers[i], headers[i + 1]);
            }
        }

        @Override
        public void onHeadersReceived(CallHeaders incoming) {}

        @Override
        public void onCallCompleted(CallStatus status) {}
    }
}
