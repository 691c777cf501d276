package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.admission.AdmissionController;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.CancelStatus;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every slot and the whole queue are taken, over both fronts: what still answers, and what a stop tells those who wait. */
class SaturationTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";
    private static final int QUEUE = 30;

    /** More than any buffer on the way holds: the query runs until its reader takes the rest. */
    private static final String LONG = "select i, repeat('x', 100) as s from range(1000000) t(i)";

    private static final long LONG_BYTES = 100_000_000;

    @TempDir
    Path directory;

    private final BufferAllocator allocator = new RootAllocator();
    private TestGateway gateway;
    private AdmissionController admission;
    private FlightClient client;
    private FlightSqlClient sql;
    private CredentialCallOption token;
    private InputStream running;
    private final List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
    private FlightInfo info;
    private FlightStream queued;

    @BeforeEach
    void saturate() throws Exception {
        gateway = TestGateway.start(
                directory,
                "--weir.admission.max-running=1",
                "--weir.admission.short-lane=0",
                "--weir.admission.max-paused=0",
                "--weir.admission.max-queued=" + QUEUE,
                "--weir.admission.user.max-queued=" + QUEUE);
        admission = gateway.bean(AdmissionController.class);
        client = gateway.flight(allocator);
        sql = new FlightSqlClient(client);
        token = client.authenticateBasicToken(TestGateway.WRITER, TestGateway.PASSWORD)
                .orElseThrow();
        running = gateway.stream(TestGateway.READER, ARROW, LONG).body();
        for (int i = 1; i < QUEUE; i++) {
            waiting.add(gateway.client()
                    .sendAsync(
                            gateway.request(TestGateway.WRITER, "/v1/queries")
                                    .POST(HttpRequest.BodyPublishers.ofString("select 1"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString()));
        }
        info = sql.execute("select 1", token);
        queued = sql.getStream(info.getEndpoints().get(0).getTicket(), token);
        await().atMost(Duration.ofSeconds(20)).until(() -> admission.snapshot().queued() == QUEUE);
    }

    @AfterEach
    void close() throws Exception {
        queued.close();
        sql.close();
        running.close();
        gateway.close();
        allocator.close();
    }

    @Test
    void listsLimitsHealthAndCatalogAnswer() throws Exception {
        assertThat(send(TestGateway.ADMIN, "/v1/queries", "POST", "select 2").statusCode())
                .isEqualTo(429);

        JsonNode listed = json(send(TestGateway.WRITER, "/v1/queries", "GET", ""));
        assertThat(listed.get("queries")).hasSize(QUEUE);
        assertThat(json(send(TestGateway.ADMIN, "/v1/admission", "GET", ""))
                        .get("queued")
                        .intValue())
                .isEqualTo(QUEUE);
        json(send(TestGateway.ADMIN, "/v1/admission/explain", "POST", "select 2"));
        json(send(TestGateway.ADMIN, "/v1/admission/limits", "PUT", "{\"max-queued\":" + (QUEUE + 1) + "}"));
        assertThat(readiness()).isEqualTo(200);
        assertThat(sql.execute("select 2", token).getEndpoints()).hasSize(1);
        try (FlightStream catalogs =
                sql.getStream(sql.getCatalogs(token).getEndpoints().get(0).getTicket(), token)) {
            assertThat(catalogs.next()).isTrue();
        }

        assertThat(waiting).as("all that while nobody's turn came").noneMatch(CompletableFuture::isDone);
    }

    @Test
    void aCancelReachesAWaiterOverEitherFrontAndFreesItsPlace() throws Exception {
        String id = "";
        for (JsonNode query :
                json(send(TestGateway.WRITER, "/v1/queries", "GET", "")).get("queries")) {
            if (query.get("front").stringValue().equals("http")) {
                id = query.get("queryId").stringValue();
            }
        }

        assertThat(send(TestGateway.WRITER, "/v1/queries/" + id, "DELETE", "").statusCode())
                .isBetween(200, 204);
        assertThat(sql.cancelFlightInfo(new CancelFlightInfoRequest(info), token)
                        .getStatus())
                .isIn(CancelStatus.CANCELLED, CancelStatus.CANCELLING);

        CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new)).get(10, TimeUnit.SECONDS);
        assertThat(waiting)
                .filteredOn(CompletableFuture::isDone)
                .singleElement()
                .satisfies(answer -> assertThat(answer.join().statusCode()).isEqualTo(499));
        FlightRuntimeException cancelled = catchThrowableOfType(FlightRuntimeException.class, queued::next);
        assertThat(cancelled.status().code()).isEqualTo(FlightStatusCode.CANCELLED);
        assertThat(admission.snapshot().queued()).isEqualTo(QUEUE - 2);
        assertThat(admission.snapshot().running()).isEqualTo(1);

        assertThat(running.transferTo(OutputStream.nullOutputStream())).isGreaterThan(LONG_BYTES);
        for (CompletableFuture<HttpResponse<String>> answer : waiting) {
            assertThat(answer.get(30, TimeUnit.SECONDS).statusCode()).isIn(200, 499);
        }
        await().atMost(Duration.ofSeconds(10)).until(() -> admission.snapshot().running() == 0);
    }

    @Test
    void aStopTellsThoseWhoWaitToTryAgainAndLetsTheStreamFinish() throws Exception {
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(gateway::close, TestGateway::onThread);

        HttpResponse<String> first = waiting.get(0).get(30, TimeUnit.SECONDS);
        assertThat(readiness()).as("readiness went first").isEqualTo(503);
        assertThat(first.body()).contains("DRAINING").contains("\"retryable\":true");
        for (CompletableFuture<HttpResponse<String>> answer : waiting) {
            assertThat(answer.get(10, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
            assertThat(answer.join().headers().firstValue("Retry-After")).isPresent();
        }
        FlightRuntimeException refused = catchThrowableOfType(FlightRuntimeException.class, queued::next);
        assertThat(refused.status().code()).isEqualTo(FlightStatusCode.UNAVAILABLE);

        assertThat(stopped).isNotDone();
        assertThat(running.transferTo(OutputStream.nullOutputStream())).isGreaterThan(LONG_BYTES);
        stopped.get(30, TimeUnit.SECONDS);
    }

    private int readiness() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(gateway.managementUri("/actuator/health/readiness"))
                .timeout(Duration.ofSeconds(5))
                .build();
        return gateway.client()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** A request that fails when it is not answered within seconds. */
    private HttpResponse<String> send(String user, String path, String method, String body) throws Exception {
        Optional<String> content = Optional.of(body).filter(text -> !text.isEmpty());
        HttpRequest.Builder request = gateway.request(user, path)
                .timeout(Duration.ofSeconds(5))
                .method(
                        method,
                        content.map(HttpRequest.BodyPublishers::ofString).orElse(HttpRequest.BodyPublishers.noBody()));
        if (body.startsWith("{")) {
            request.header("Content-Type", "application/json");
        }
        return gateway.client().send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static JsonNode json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return JsonMapper.shared().readTree(response.body());
    }
}
