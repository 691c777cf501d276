package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.AuthModule;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VarCharVector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Several users at once on shared connections: nobody gets another's result, session, list or rights. */
class ManyUsersTest {

    private static final List<String> USERS = List.of(TestGateway.READER, TestGateway.WRITER, TestGateway.ADMIN);
    private static final int ROUNDS = 60;

    @TempDir
    static Path directory;

    private static TestGateway gateway;

    @BeforeAll
    static void start() throws Exception {
        gateway = TestGateway.start(directory, "--weir.admission.user.max-queued=1000");
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private interface Round {
        void run(String user, int number) throws Exception;
    }

    private static void atOnce(Round round) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2 * USERS.size());
        try {
            List<Future<Void>> done = new ArrayList<>();
            for (int i = 0; i < 2 * USERS.size(); i++) {
                String user = USERS.get(i % USERS.size());
                int first = i * ROUNDS;
                Callable<Void> rounds = () -> {
                    for (int number = first; number < first + ROUNDS; number++) {
                        round.run(user, number);
                    }
                    return null;
                };
                done.add(threads.submit(rounds));
            }
            for (Future<Void> each : done) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void everyHttpAnswerIsThatOfItsUser() throws Exception {
        atOnce((user, number) -> assertThat(gateway.sql(user, "text/csv", "select '" + user + number + "' as s")
                        .body())
                .isEqualTo("s\r\n" + user + number + "\r\n"));

        for (String user : List.of(TestGateway.READER, TestGateway.WRITER)) {
            JsonNode queries = JsonMapper.shared()
                    .readTree(gateway.get(user, "/v1/queries").body())
                    .get("queries");
            assertThat(queries)
                    .isNotEmpty()
                    .allMatch(query -> query.get("user").stringValue().equals(user));
        }
    }

    @Test
    void everyFlightAnswerOfOneConnectionIsThatOfItsCaller() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            Map<String, CredentialCallOption> tokens = new HashMap<>();
            for (String user : USERS) {
                tokens.put(user, token(client, user));
            }
            atOnce((user, number) -> assertThat(text(sql, "select '" + user + number + "' as s", tokens.get(user)))
                    .isEqualTo(user + number));
        }
    }

    @Test
    void whatOneCallerSetsOnASharedConnectionIsNoOthers() throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            CredentialCallOption reader = token(client, TestGateway.READER);
            CredentialCallOption writer = token(client, TestGateway.WRITER);
            sql.setSessionOptions(
                    new SetSessionOptionsRequest(
                            Map.of("timeZone", SessionOptionValueFactory.makeSessionOptionValue("Asia/Tokyo"))),
                    reader);

            String zone = "select (timestamptz '2020-01-01 00:00:00+00')::varchar as s";
            assertThat(text(sql, zone, reader)).endsWith("+09");
            assertThat(text(sql, zone, writer)).doesNotEndWith("+09");
            assertThat(sql.getSessionOptions(new GetSessionOptionsRequest(), writer)
                            .getSessionOptions())
                    .isEmpty();
            assertThat(gateway.sql(TestGateway.READER, "text/csv", zone).body())
                    .as("another connection of the same user")
                    .doesNotContain("+09");
        }
    }

    @Test
    void aRemovedUserIsShutOutOfBothFrontsWithinSeconds() throws Exception {
        var users = gateway.bean(AuthModule.class).userStore();
        users.add("leaver", TestGateway.PASSWORD, dev.weir.auth.Role.READER, List.of());
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(client)) {
            CredentialCallOption bearer = token(client, "leaver");
            assertThat(text(sql, "select 'x' as s", bearer)).isEqualTo("x");
            assertThat(gateway.sql("leaver", "text/csv", "select 1").statusCode())
                    .isEqualTo(200);

            users.remove("leaver");

            await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
                assertThat(gateway.sql("leaver", "text/csv", "select 1").statusCode())
                        .isEqualTo(401);
                assertThat(status(() -> sql.execute("select 1", bearer))).isEqualTo(FlightStatusCode.UNAUTHENTICATED);
            });
        }
    }

    private static CredentialCallOption token(FlightClient client, String user) {
        return client.authenticateBasicToken(user, TestGateway.PASSWORD).orElseThrow();
    }

    /** The first value of a text column. */
    private static String text(FlightSqlClient sql, String statement, CredentialCallOption token) throws Exception {
        try (FlightStream stream = sql.getStream(
                sql.execute(statement, token).getEndpoints().get(0).getTicket(), token)) {
            assertThat(stream.next()).isTrue();
            VarCharVector vector = (VarCharVector) stream.getRoot().getVector(0);
            return new String(vector.get(0), StandardCharsets.UTF_8);
        }
    }

    private static FlightStatusCode status(Runnable call) {
        try {
            call.run();
            return FlightStatusCode.OK;
        } catch (FlightRuntimeException e) {
            return e.status().code();
        }
    }
}
