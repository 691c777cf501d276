package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Readers that stop reading, or vanish, with their connection open: others go on, over both fronts. */
class AbsentReadersTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final String BIG = "select i, repeat('x', 1000) as s from range(40000000) t(i)";

    @TempDir
    Path directory;

    private final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void close() {
        allocator.close();
    }

    @Test
    void anHttpReaderThatStopsLosesItsSlotAndSeesNoShortResult() throws Exception {
        try (TestGateway gateway = oneSlot("--weir.admission.client-stall-timeout=2s");
                InputStream open =
                        gateway.stream(TestGateway.READER, ARROW, BIG).body()) {
            assertThat(open.readNBytes(1000)).hasSize(1000);

            assertOthersRun(gateway);

            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(gateway.get(TestGateway.READER, "/v1/queries")
                                    .body())
                            .contains("CLIENT_STALLED"));
            assertThatThrownBy(() -> open.transferTo(OutputStream.nullOutputStream()))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aFlightReaderThatStopsLosesItsSlotAndSeesNoShortResult() throws Exception {
        try (TestGateway gateway = oneSlot("--weir.admission.client-stall-timeout=2s");
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            try (FlightStream open = open(sql, token(client, TestGateway.READER), BIG)) {
                assertThat(open.next()).isTrue();

                assertOthersRun(gateway);

                FlightRuntimeException failure = catchThrowableOfType(FlightRuntimeException.class, () -> {
                    while (open.next()) {}
                });
                assertThat(failure.status().code()).isEqualTo(FlightStatusCode.TIMED_OUT);
            }
        }
    }

    @Test
    void eightReadersThatStopLendTheirSlotsToANinthUser() throws Exception {
        List<AutoCloseable> readers = new ArrayList<>();
        try (TestGateway gateway = TestGateway.start(
                        directory,
                        "--weir.admission.max-running=4",
                        "--weir.admission.short-lane=0",
                        "--weir.admission.user.max-running=4",
                        "--weir.admission.user.max-paused=8",
                        "--weir.admission.memory.per-query=50MB");
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            CredentialCallOption token = token(client, TestGateway.WRITER);
            AdmissionController admission = gateway.bean(AdmissionController.class);
            for (int i = 0; i < 4; i++) {
                readers.add(gateway.stream(TestGateway.READER, ARROW, BIG).body());
                FlightStream stream = open(sql, token, BIG);
                readers.add(stream);
                assertThat(stream.next()).isTrue();
            }
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> admission.snapshot().paused() == 8);

            HttpResponse<String> ninth = gateway.sql(TestGateway.ADMIN, "text/csv", "select 42 as n");

            assertThat(ninth.body()).isEqualTo("n\r\n42\r\n");
            assertThat(admission.snapshot().paused()).isEqualTo(8);
            InputStream goesOn = (InputStream) readers.get(0);
            assertThat(goesOn.readNBytes(30_000_000))
                    .as("a reader that goes on")
                    .hasSize(30_000_000);
            for (AutoCloseable reader : readers) {
                reader.close();
            }
            assertIdle(gateway);
        }
    }

    @Test
    @Tag("full")
    void aFlightClientThatVanishesInTheQueueIsFoundByKeepAlive() throws Exception {
        try (TestGateway gateway = oneSlot("--weir.admission.queue-timeout=10m");
                InputStream open =
                        gateway.stream(TestGateway.READER, ARROW, BIG).body();
                Relay relay = new Relay(gateway.flightPort())) {
            AdmissionController admission = gateway.bean(AdmissionController.class);
            FlightClient client = flight(relay.port());
            FlightSqlClient sql = new FlightSqlClient(client);
            FlightStream waiting = open(sql, token(client, TestGateway.WRITER), "select 1");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> admission.snapshot().queued() == 1);

            relay.fallSilent();

            await().atMost(Duration.ofSeconds(90))
                    .until(() -> admission.snapshot().queued() == 0);
            assertThat(admission.snapshot().running()).as("the other goes on").isEqualTo(1);
            assertThat(open.readNBytes(1000)).hasSize(1000);
            relay.close();
            waiting.close();
            sql.close();
        }
    }

    private TestGateway oneSlot(String... more) throws Exception {
        List<String> properties = new ArrayList<>(List.of(
                "--weir.admission.max-running=1", "--weir.admission.short-lane=0", "--weir.admission.max-paused=0"));
        properties.addAll(List.of(more));
        return TestGateway.start(directory, properties.toArray(String[]::new));
    }

    /** Needs the only slot; the request's own timeout is the bound. */
    private static void assertOthersRun(TestGateway gateway) throws Exception {
        assertThat(gateway.sql(TestGateway.WRITER, "text/csv", "select 42 as n").body())
                .isEqualTo("n\r\n42\r\n");
    }

    private static void assertIdle(TestGateway gateway) {
        AdmissionController admission = gateway.bean(AdmissionController.class);
        await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
            assertThat(admission.snapshot().running()).isZero();
            assertThat(admission.snapshot().paused()).isZero();
            assertThat(admission.snapshot().reservedBytes()).isZero();
        });
    }

    private static CredentialCallOption token(FlightClient client, String user) {
        return client.authenticateBasicToken(user, TestGateway.PASSWORD).orElseThrow();
    }

    private static FlightStream open(FlightSqlClient sql, CredentialCallOption token, String text) {
        return sql.getStream(sql.execute(text, token).getEndpoints().get(0).getTicket(), token);
    }

    private FlightClient flight(int port) throws IOException {
        Path certificate = directory.resolve("tls").resolve("cert.pem");
        try (InputStream in = Files.newInputStream(certificate)) {
            return FlightClient.builder(allocator, Location.forGrpcTls("localhost", port))
                    .trustedCertificates(in)
                    .build();
        }
    }
}
