package dev.weir.bench;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;

/**
 * SELECT 1, its text varied, over a warm connection, one call after another; beside it the bare server's constant. The two
 * are measured in turns, so that a busy machine disturbs both alike.
 */
final class Latency {

    private static final int ROUNDS = 10;

    private Latency() {}

    /** A call to measure; the number varies the text. */
    private interface Call {
        void run(int number) throws Exception;
    }

    static void run(Bench.Target target, int calls) throws Exception {
        Bench.print("SELECT 1, ms", "p50", "p99", "p50 bare", "p99 bare", "p50 diff");
        HttpClient http = Clients.http(target);
        compare(
                "HTTP",
                calls,
                n -> http(http, target, "/v1/queries", n),
                n -> http(http, target, BenchServer.BARE_PATH, n));
        try (Clients.Flight gateway = Clients.flight(target, target.flightPort());
                Clients.Flight bare = Clients.flight(target, target.barePort())) {
            compare(
                    "Flight SQL, one round trip",
                    calls,
                    n -> read(gateway.client(), ticket(n), gateway.credentials()),
                    n -> read(bare.client(), ticket(n), bare.credentials()));
            compare(
                    "Flight SQL, two round trips",
                    calls,
                    n -> twoRoundTrips(gateway.client(), n, gateway.credentials()),
                    n -> {
                        read(bare.client(), ticket(n), bare.credentials());
                        read(bare.client(), ticket(n), bare.credentials());
                    });
        }
    }

    /** In one round trip through a relay, against the bare relay. */
    static void relay(Bench.Target target, int calls) throws Exception {
        Bench.print("SELECT 1, ms", "p50", "p99", "p50 bare", "p99 bare", "p50 diff");
        try (Clients.Flight gateway = Clients.flight(target, target.flightPort());
                Clients.Flight bare = Clients.flight(target, target.barePort())) {
            compare(
                    "Flight SQL, one round trip",
                    calls,
                    n -> read(gateway.client(), ticket(n), gateway.credentials()),
                    n -> read(bare.client(), ticket(n), bare.credentials()));
        }
    }

    private static void compare(String name, int calls, Call gateway, Call bare) throws Exception {
        int each = calls / ROUNDS;
        measure(gateway, 0, calls / 2);
        measure(bare, 0, calls / 2);
        double[] gatewayTimes = new double[each * ROUNDS];
        double[] bareTimes = new double[each * ROUNDS];
        for (int round = 0; round < ROUNDS; round++) {
            System.arraycopy(measure(gateway, calls + round * each, each), 0, gatewayTimes, round * each, each);
            System.arraycopy(measure(bare, calls + round * each, each), 0, bareTimes, round * each, each);
        }
        Arrays.sort(gatewayTimes);
        Arrays.sort(bareTimes);
        Bench.print(
                name,
                at(gatewayTimes, 0.5),
                at(gatewayTimes, 0.99),
                at(bareTimes, 0.5),
                at(bareTimes, 0.99),
                at(gatewayTimes, 0.5) - at(bareTimes, 0.5));
    }

    private static double at(double[] sorted, double quantile) {
        return sorted[(int) ((sorted.length - 1) * quantile)];
    }

    private static double[] measure(Call call, int first, int count) throws Exception {
        double[] times = new double[count];
        for (int i = 0; i < count; i++) {
            long start = System.nanoTime();
            call.run(first + i);
            times[i] = (System.nanoTime() - start) / 1e6;
        }
        return times;
    }

    private static void http(HttpClient client, Bench.Target target, String path, int number) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + target.httpPort() + path))
                .header("Authorization", Clients.basic(target))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(sql(number)))
                .build();
        HttpResponse<byte[]> response = client.send(request, BodyHandlers.ofByteArray());
        if (response.statusCode() != 200) {
            throw new IllegalStateException(path + ": " + response.statusCode() + " " + new String(response.body()));
        }
    }

    private static String sql(int number) {
        return "select " + number;
    }

    private static CommandStatementQuery command(int number) {
        return CommandStatementQuery.newBuilder()
                .setQueryBytes(ByteString.copyFromUtf8(sql(number)))
                .build();
    }

    private static Ticket ticket(int number) {
        return new Ticket(Any.pack(command(number)).toByteArray());
    }

    private static void twoRoundTrips(FlightClient client, int number, CallOption credentials) throws Exception {
        Ticket ticket = client.getInfo(
                        FlightDescriptor.command(Any.pack(command(number)).toByteArray()), credentials)
                .getEndpoints()
                .get(0)
                .getTicket();
        read(client, ticket, credentials);
    }

    private static void read(FlightClient client, Ticket ticket, CallOption credentials) throws Exception {
        try (FlightStream stream = client.getStream(ticket, credentials)) {
            int rows = 0;
            while (stream.next()) {
                rows += stream.getRoot().getRowCount();
            }
            if (rows != 1) {
                throw new IllegalStateException(rows + " rows");
            }
        }
    }
}
