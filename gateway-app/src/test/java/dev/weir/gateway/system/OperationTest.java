package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.admission.AdmissionController;
import dev.weir.auth.AuthModule;
import dev.weir.gateway.metrics.WeirMeter;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.security.core.userdetails.ReactiveUserDetailsService;

/** What operators rely on: health, metrics, passwords that change, a stop that loses nothing. */
class OperationTest {

    private static final String BIG = "select a.range as a, b.range as b from range(20000) a, range(2000) b";

    @TempDir
    Path directory;

    @Test
    void theQueryLogHasALineForEveryQueryOfBothEnds() throws Exception {
        Path log = directory.resolve("log").resolve("queries.jsonl");
        try (TestGateway gateway = TestGateway.start(directory)) {
            gateway.sql(TestGateway.READER, "application/json", "select 'secret' as s");
            gateway.sql(TestGateway.READER, "application/json", "select nonsense_column");
        }
        List<String> lines = Files.readAllLines(log);
        assertThat(lines)
                .filteredOn(line -> line.contains("\"user\":\"reader\""))
                .hasSize(2);
        assertThat(lines).anyMatch(line -> line.contains("INVALID_SQL")).noneMatch(line -> line.contains("secret"));
        assertThat(lines).noneMatch(line -> line.contains("nonsense_column"));
        assertThat(lines)
                .filteredOn(line -> line.contains("\"user\":\"reader\""))
                .allMatch(
                        line -> line.contains("\"decision\":\"granted\"") && line.contains("\"decision\":\"released\""))
                .anyMatch(line -> line.contains("\"place\":\"short\",\"why\":\"probation\""));
        Files.delete(log);
        try (TestGateway gateway = TestGateway.start(directory, "--weir.query-log.file=")) {
            gateway.sql(TestGateway.READER, "application/json", "select 1");
        }
        assertThat(log).doesNotExist();
    }

    @Test
    void queriesOfBothFrontsJoinTheTracesOfTheirCallers() throws Exception {
        String http = "0af7651916cd43dd8448eb211c80319c";
        String flight = "1bf7651916cd43dd8448eb211c80319d";
        try (TraceCollector collector = new TraceCollector()) {
            try (TestGateway gateway =
                    TestGateway.start(directory, "--weir.tracing.endpoint=" + collector.endpoint())) {
                HttpRequest.Builder query = gateway.request(TestGateway.READER, "/v1/queries")
                        .header("traceparent", "00-" + http + "-b7ad6b7169203331-01")
                        .POST(HttpRequest.BodyPublishers.ofString("select 1"));
                assertThat(gateway.send(query).statusCode()).isEqualTo(200);
                flightQuery(gateway, "00-" + flight + "-b7ad6b7169203331-01");
            }
            assertThat(collector.received())
                    .contains(bytes(http), bytes(flight), "weir.query.id", "queue", "run", "stream", "flight_sql")
                    .doesNotContain("select 1")
                    .doesNotContain(DefaultQueryService.INTERNAL_USER);
        }
        assertThat(directory.resolve("log").resolve("queries.jsonl")).content().contains(http, flight);
    }

    private static String bytes(String hex) {
        return new String(HexFormat.of().parseHex(hex), StandardCharsets.ISO_8859_1);
    }

    private static void flightQuery(TestGateway gateway, String traceParent) throws Exception {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert("traceparent", traceParent);
        HeaderCallOption trace = new HeaderCallOption(headers);
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient flight = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(flight)) {
            CredentialCallOption bearer = flight.authenticateBasicToken(TestGateway.READER, TestGateway.PASSWORD)
                    .orElseThrow();
            try (FlightStream stream = sql.getStream(
                    sql.execute("select 1", bearer, trace).getEndpoints().get(0).getTicket(), bearer, trace)) {
                assertThat(stream.next()).isTrue();
                assertThat(stream.next()).isFalse();
            }
        }
    }

    @Test
    void aReaderThatPausesIsSeenInStatusMetricsAndLog() throws Exception {
        try (TestGateway gateway = TestGateway.start(directory)) {
            HttpResponse<InputStream> open =
                    gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", BIG);
            try (InputStream in = open.body()) {
                in.readNBytes(1000);
                String id = open.headers().firstValue("X-Weir-Query-Id").orElseThrow();
                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(gateway.get(TestGateway.READER, "/v1/queries/" + id)
                                        .body())
                                .contains("\"state\":\"PAUSED\"", "\"pauses\":1", "\"pausedMs\":"));
                await().atMost(Duration.ofSeconds(20))
                        .untilAsserted(() -> assertThat(metrics(gateway))
                                .contains("weir_admission_decisions_total{decision=\"paused\"} 1.0")
                                .contains("weir_admission_decisions_total{decision=\"resumed\"} 0.0"));
            }
        }
        assertThat(Files.readAllLines(directory.resolve("log").resolve("queries.jsonl")))
                .filteredOn(line -> line.contains("\"user\":\"reader\""))
                .singleElement()
                .satisfies(line -> assertThat(line).contains("\"pauses\":1", "\"decision\":\"paused\""));
    }

    @Test
    void whatIsNoHttpFillsNoLogAndOtherWarningsAreSeen() throws Exception {
        try (TestGateway gateway = TestGateway.start(directory)) {
            Logger server = (Logger) LoggerFactory.getLogger("reactor.netty.http.server.HttpServerOperations");
            ListAppender<ILoggingEvent> seen = new ListAppender<>();
            seen.start();
            server.addAppender(seen);
            try {
                HttpRequest tooLong = gateway.request(TestGateway.READER, "/v1/queries?" + "x".repeat(10_000))
                        .build();
                assertThat(gateway.client()
                                .send(tooLong, HttpResponse.BodyHandlers.discarding())
                                .statusCode())
                        .isEqualTo(414);
                assertThat(seen.list).isEmpty();
                server.warn("something else");
                assertThat(seen.list).hasSize(1);
                assertThat(LoggerFactory.getLogger("io.grpc.netty.NettyServerHandler")
                                .isWarnEnabled())
                        .isTrue();
            } finally {
                server.detachAppender(seen);
            }
        }
    }

    @Test
    void healthIsAnonymousAndMetricsAreNot() throws Exception {
        try (TestGateway gateway = TestGateway.start(directory)) {
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                assertThat(anonymous(gateway, "/actuator/health/readiness").statusCode())
                        .isEqualTo(200);
                assertThat(anonymous(gateway, "/actuator/health/liveness").statusCode())
                        .isEqualTo(200);
            });
            assertThat(anonymous(gateway, "/livez").statusCode()).isEqualTo(200);
            assertThat(anonymous(gateway, "/readyz").statusCode()).isEqualTo(200);
            assertThat(anonymous(gateway, "/actuator/prometheus").statusCode()).isEqualTo(401);
            assertThat(management(gateway, "/actuator/info")).contains("\"version\":\"");
            if (getClass().getResource("/git.properties") != null) {
                assertThat(management(gateway, "/actuator/info")).contains("\"commit\":{\"");
            }
            assertThat(anonymous(gateway, "/actuator/env").statusCode()).isIn(401, 404);
            HttpRequest livez = HttpRequest.newBuilder(gateway.uri("/livez")).build();
            assertThat(gateway.client()
                            .send(livez, HttpResponse.BodyHandlers.discarding())
                            .statusCode())
                    .isEqualTo(200);

            assertThat(gateway.running().context().getBeanNamesForType(ReactiveUserDetailsService.class))
                    .as("no users but the gateway's own")
                    .isEmpty();
            String before = metrics(gateway);
            assertThat(before).doesNotContain("spring_security");
            assertThat(before).contains("weir_queries_running 0.0").contains("weir_queries_queued 0.0");
            assertThat(before).contains("weir_queries_total{front=\"http\",outcome=\"finished\"} 0.0");
            assertThat(gateway.sql(TestGateway.READER, "text/csv", "select 1").statusCode())
                    .isEqualTo(200);
            await().atMost(Duration.ofSeconds(5))
                    .untilAsserted(() -> assertThat(metrics(gateway))
                            .contains("weir_queries_total{front=\"http\",outcome=\"finished\"} 1.0")
                            .contains("weir_query_rows_total{format=\"csv\",front=\"http\"} 1.0"));
            assertThat(series(before)).isSubsetOf(declared());
            for (WeirMeter meter : WeirMeter.values()) {
                // Those of each worker come with the worker; a worker process has its own.
                if (!meter.meterName().startsWith("weir.worker.") && meter != WeirMeter.SERVED_RUNNING) {
                    assertThat(series(before)).containsAnyElementsOf(meter.series());
                }
            }
            whatUsersDoIsCounted(gateway);
        }
    }

    private static void whatUsersDoIsCounted(TestGateway gateway) throws Exception {
        HttpRequest wrong = HttpRequest.newBuilder(gateway.uri("/v1/queries"))
                .header("Authorization", TestGateway.basic(TestGateway.READER, "wrong"))
                .build();
        gateway.client().send(wrong, HttpResponse.BodyHandlers.discarding());
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient flight = gateway.flight(allocator)) {
            flight.authenticateBasicToken(TestGateway.READER, TestGateway.PASSWORD);
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(metrics(gateway))
                        .contains("weir_login_failures_total{reason=\"wrong\"} 1.0")
                        .contains("weir_flight_calls_total{method=\"Handshake\",status=\"ok\"} 1.0")
                        .contains("weir_user_queries_total{outcome=\"finished\",user=\"reader\"} 1.0")
                        .doesNotContain("user=\"weir:internal\"")
                        .containsPattern("weir_certificate_expiry_seconds [0-9.E]+")
                        .containsPattern("weir_engine_memory_bytes [0-9.E]+"));
    }

    /** Names of the gateway's own series in an answer. */
    private static Set<String> series(String metrics) {
        return metrics.lines()
                .filter(line -> line.startsWith("weir_"))
                .map(line -> line.split("[{ ]", 2)[0])
                .collect(Collectors.toSet());
    }

    private static Set<String> declared() {
        return Arrays.stream(WeirMeter.values())
                .flatMap(meter -> meter.series().stream())
                .collect(Collectors.toSet());
    }

    @Test
    void aChangedPasswordStopsWorkingWithinFiveSecondsOnBothFronts() throws Exception {
        try (TestGateway gateway = TestGateway.start(directory);
                BufferAllocator allocator = new RootAllocator();
                FlightClient flight = gateway.flight(allocator);
                FlightSqlClient sql = new FlightSqlClient(flight)) {
            CredentialCallOption bearer = flight.authenticateBasicToken(TestGateway.READER, TestGateway.PASSWORD)
                    .orElseThrow();
            assertThat(sql.execute("select 1", bearer).getEndpoints()).hasSize(1);
            assertThat(gateway.sql(TestGateway.READER, "text/csv", "select 1").statusCode())
                    .isEqualTo(200);

            gateway.bean(AuthModule.class).userStore().setPassword(TestGateway.READER, "another password");

            await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> {
                assertThat(gateway.sql(TestGateway.READER, "text/csv", "select 1")
                                .statusCode())
                        .isEqualTo(401);
                assertThat(status(() -> sql.execute("select 1", bearer))).isEqualTo(FlightStatusCode.UNAUTHENTICATED);
            });
        }
    }

    @Test
    void aStopLetsOpenStreamsFinishAndRefusesNewQueries() throws Exception {
        TestGateway gateway = TestGateway.start(directory, "--weir.shutdown.grace=30s");
        HttpResponse<InputStream> open = gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", BIG);
        try (InputStream in = open.body()) {
            in.readNBytes(1000);
            drainAndResume(gateway, open.headers().firstValue("X-Weir-Query-Id").orElseThrow());
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(gateway::close, TestGateway::onThread);
            await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> {
                assertThat(gateway.sql(TestGateway.WRITER, "text/csv", "select 1")
                                .statusCode())
                        .isEqualTo(503);
                assertThat(anonymous(gateway, "/actuator/health/readiness").statusCode())
                        .isEqualTo(503);
            });
            assertThat(stopped).isNotDone();
            long rest = in.transferTo(java.io.OutputStream.nullOutputStream());
            assertThat(rest).isGreaterThan(600_000_000L);
            stopped.get(30, TimeUnit.SECONDS);
        }
    }

    /** While a query is open: refused on both fronts, not ready, what is known is still told; and back. */
    private static void drainAndResume(TestGateway gateway, String open) throws Exception {
        assertThat(drain(gateway, TestGateway.WRITER, "POST").statusCode()).isEqualTo(403);
        assertThat(drain(gateway, TestGateway.ADMIN, "POST").body()).contains("\"DRAINING\"", open, "\"graceLeftMs\"");
        HttpResponse<String> refused = gateway.sql(TestGateway.WRITER, "text/csv", "select 1");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("\"DRAINING\"", "\"retryable\":true");
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(status(() -> flightQuery(gateway, "none"))).isEqualTo(FlightStatusCode.UNAVAILABLE);
        assertThat(anonymous(gateway, "/readyz").statusCode()).isEqualTo(503);
        assertThat(anonymous(gateway, "/livez").statusCode()).isEqualTo(200);
        assertThat(gateway.get(TestGateway.READER, "/v1/queries/" + open).body())
                .contains("\"STREAMING\"");

        assertThat(drain(gateway, TestGateway.ADMIN, "DELETE").body()).contains("\"SERVING\"");
        assertThat(gateway.sql(TestGateway.WRITER, "text/csv", "select 1").statusCode())
                .isEqualTo(200);
        assertThat(anonymous(gateway, "/readyz").statusCode()).isEqualTo(200);
    }

    private static HttpResponse<String> drain(TestGateway gateway, String user, String method) throws Exception {
        return gateway.send(gateway.request(user, "/v1/drain").method(method, HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    void atSaturationListAndCancelStillAnswer() throws Exception {
        try (TestGateway gateway = TestGateway.start(
                directory,
                "--weir.admission.max-running=1",
                "--weir.admission.short-lane=0",
                "--weir.admission.max-paused=0",
                "--weir.admission.user.max-queued=1")) {
            HttpResponse<InputStream> open =
                    gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", BIG);
            CompletableFuture<HttpResponse<String>> waiting = gateway.client()
                    .sendAsync(
                            gateway.request(TestGateway.READER, "/v1/queries")
                                    .POST(HttpRequest.BodyPublishers.ofString("select 1"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            await().atMost(Duration.ofSeconds(5))
                    .until(() ->
                            gateway.bean(AdmissionController.class).snapshot().queued() == 1);
            HttpResponse<String> refused = gateway.sql(TestGateway.READER, "text/csv", "select 2");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(refused.body()).contains("USER_LIMIT").contains("max-queued");

            String id = open.headers().firstValue("X-Weir-Query-Id").orElseThrow();
            assertThat(gateway.get(TestGateway.READER, "/v1/queries").body()).contains(id);
            HttpResponse<String> cancelled = gateway.client()
                    .send(
                            gateway.request(TestGateway.ADMIN, "/v1/queries/" + id)
                                    .DELETE()
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(cancelled.statusCode()).isBetween(200, 204);
            assertThat(waiting.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(
                                    gateway.bean(DefaultQueryService.class).liveQueries())
                            .isEmpty());
            open.body().close();
        }
    }

    private static String metrics(TestGateway gateway) throws Exception {
        return management(gateway, "/actuator/prometheus");
    }

    private static String management(TestGateway gateway, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(gateway.managementUri(path))
                .header("Authorization", TestGateway.basic(TestGateway.ADMIN, TestGateway.PASSWORD))
                .build();
        HttpResponse<String> response = gateway.client().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        return response.body();
    }

    private static HttpResponse<Void> anonymous(TestGateway gateway, String path) throws Exception {
        return gateway.client()
                .send(
                        HttpRequest.newBuilder(gateway.managementUri(path)).build(),
                        HttpResponse.BodyHandlers.discarding());
    }

    private interface Call {
        void run() throws Exception;
    }

    private static FlightStatusCode status(Call call) throws Exception {
        try {
            call.run();
            return CallStatus.UNKNOWN.code();
        } catch (FlightRuntimeException e) {
            return e.status().code();
        }
    }
}
