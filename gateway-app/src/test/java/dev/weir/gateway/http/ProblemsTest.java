package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import reactor.netty.channel.AbortedException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Every failure is problem+json. */
class ProblemsTest {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static JsonNode problem(HttpResponse<byte[]> response) {
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        JsonNode problem = MAPPER.readTree(response.body());
        assertThat(problem.get("status").intValue()).isEqualTo(response.statusCode());
        assertThat(problem.get("type").stringValue()).startsWith("urn:weir:error:");
        assertThat(problem.get("title").stringValue()).isNotBlank();
        assertThat(problem.get("detail").stringValue()).isNotBlank();
        assertThat(problem.get("sqlState").stringValue()).hasSize(5);
        return problem;
    }

    @ParameterizedTest
    @EnumSource(GatewayErrorCode.class)
    void everyRowOfTheErrorTableHasItsStatusAndFields(GatewayErrorCode code) {
        server.queries.fail(new GatewayException(code, "what was wrong"));

        HttpResponse<byte[]> response = server.post("select 1", "*/*");

        JsonNode problem = problem(response);
        assertThat(response.statusCode()).isEqualTo(code.httpStatus());
        assertThat(problem.get("code").stringValue()).isEqualTo(code.name());
        assertThat(problem.get("retryable").booleanValue()).isEqualTo(code.retryable());
        assertThat(problem.get("started").booleanValue()).isEqualTo(code.started());
        assertThat(problem.get("sqlState").stringValue()).isEqualTo(code.sqlState());
        assertThat(problem.get("queryId").stringValue()).isEqualTo(server.queries.last().id);
        assertThat(response.headers().firstValue("X-Weir-Query-Id")).hasValue(server.queries.last().id);
        boolean later = code.httpStatus() == 429 || code.httpStatus() == 503;
        assertThat(response.headers().firstValue("Retry-After").isPresent()).isEqualTo(later);
        if (code == GatewayErrorCode.INTERNAL) {
            assertThat(problem.get("errorId").stringValue()).isNotBlank();
            assertThat(problem.get("detail").stringValue())
                    .contains(problem.get("errorId").stringValue());
        } else {
            assertThat(problem.get("detail").stringValue()).isEqualTo("what was wrong");
        }
    }

    @Test
    void allThatIsKnownOfAFailureIsTold() {
        server.queries.fail(new GatewayException(
                GatewayErrorCode.QUEUE_TIMEOUT,
                "waited too long",
                new ErrorDetails(
                        null,
                        "40P01",
                        17,
                        new ErrorDetails.Limit("user", "user.max-running", "4"),
                        Duration.ofMillis(2300),
                        Duration.ofMillis(4500),
                        9,
                        false,
                        null)));

        HttpResponse<byte[]> response = server.post("select 1", "*/*");

        JsonNode problem = problem(response);
        assertThat(response.headers().firstValue("Retry-After")).hasValue("3");
        assertThat(problem.get("limit").toString())
                .isEqualTo("{\"scope\":\"user\",\"name\":\"user.max-running\",\"value\":\"4\"}");
        assertThat(problem.get("predictedWaitMs").intValue()).isEqualTo(4500);
        assertThat(problem.get("position").intValue()).isEqualTo(9);
        assertThat(problem.get("sqlState").stringValue()).isEqualTo("40P01");
        assertThat(problem.get("sqlPosition").intValue()).isEqualTo(17);
        assertThat(problem.get("retryable").booleanValue()).isFalse();
    }

    @Test
    void aFaultTellsItsIdAndNothingElse() {
        server.queries.answer(r -> {
            throw new IllegalStateException("secret path /etc/weir");
        });

        HttpResponse<byte[]> response = server.post("select 1", "*/*");

        JsonNode problem = problem(response);
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(problem.get("code").stringValue()).isEqualTo("INTERNAL");
        assertThat(problem.get("errorId").stringValue()).isNotBlank();
        assertThat(problem.toString()).doesNotContain("secret");
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/nowhere,404,NOT_FOUND",
        "GET,/,404,NOT_FOUND",
        "GET,/v1/queries/none,404,NOT_FOUND",
        "DELETE,/v1/queries/none,404,NOT_FOUND",
        "GET,/v1/queries/none/result,404,NOT_FOUND",
        "GET,/v1/queries/none/wat,404,NOT_FOUND",
        "GET,/v1/queries?wat=1,400,INVALID_REQUEST",
        "PUT,/v1/queries,405,INVALID_REQUEST",
        "DELETE,/v1/queries,405,INVALID_REQUEST",
        "POST,/v1/queries/none,405,INVALID_REQUEST",
        "PATCH,/v1/queries/none/result,405,INVALID_REQUEST"
    })
    void addressesAndMethodsThatAreNotThere(String method, String path, int status, String code) {
        HttpResponse<byte[]> response =
                server.send(server.request(path).method(method, HttpRequest.BodyPublishers.noBody()));

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(problem(response).get("code").stringValue()).isEqualTo(code);
        assertThat(response.headers().firstValue("Allow").isPresent()).isEqualTo(status == 405);
    }

    @Test
    void whoIsUnknownIsAskedForCredentials() {
        HttpResponse<byte[]> response =
                server.send(HttpRequest.newBuilder(server.uri("/v1/queries")).timeout(Duration.ofSeconds(10)));

        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(problem(response).get("code").stringValue()).isEqualTo("UNAUTHENTICATED");
        assertThat(response.headers().allValues("WWW-Authenticate"))
                .containsExactly("Basic realm=\"weir\", charset=\"UTF-8\"", "Bearer realm=\"weir\"");
    }

    @Test
    void whoMayNotIsTold() {
        HttpResponse<byte[]> response = server.send(HttpRequest.newBuilder(server.uri("/v1/queries"))
                .header("X-User", "denied")
                .timeout(Duration.ofSeconds(10)));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(problem(response).get("code").stringValue()).isEqualTo("FORBIDDEN");
    }

    @Test
    void optionsTellWhatIsAllowedAndHeadHasNoBody() {
        HttpResponse<byte[]> options =
                server.send(server.request("/v1/queries").method("OPTIONS", HttpRequest.BodyPublishers.noBody()));
        assertThat(options.statusCode()).isEqualTo(204);
        assertThat(options.headers().firstValue("Allow")).hasValue("GET, HEAD, OPTIONS, POST");
        HttpResponse<byte[]> head =
                server.send(server.request("/v1/queries").method("HEAD", HttpRequest.BodyPublishers.noBody()));
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void titlesAreWords() {
        assertThat(new String(
                        Problem.of(new GatewayException(GatewayErrorCode.INVALID_SQL, "x"), null)
                                .toBytes(),
                        StandardCharsets.UTF_8))
                .contains("\"type\":\"urn:weir:error:invalid-sql\"", "\"title\":\"Invalid SQL\"");
    }

    @ParameterizedTest
    @MethodSource
    void aClientThatIsGoneIsNoFaultOfOurs(Throwable gone) {
        Logger log = (Logger) LoggerFactory.getLogger(Problems.class);
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        log.addAppender(seen);
        try {
            MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.post("/v1/queries"));
            new Problems().handle(exchange, gone).block(Duration.ofSeconds(5));
            assertThat(exchange.getResponse().getStatusCode())
                    .as("nobody to answer")
                    .isNull();
            assertThat(seen.list).noneMatch(event -> event.getLevel().isGreaterOrEqual(Level.WARN));
        } finally {
            log.detachAppender(seen);
        }
    }

    static List<Throwable> aClientThatIsGoneIsNoFaultOfOurs() {
        return List.of(
                new IOException("reset by peer"),
                AbortedException.beforeSend(),
                // As the server says it of a request that broke off.
                new AbortedException("Connection has been closed"));
    }
}
