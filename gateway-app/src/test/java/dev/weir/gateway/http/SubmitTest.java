package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayInputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** POST /v1/queries with results that stream. */
class SubmitTest {

    private final FrontServer server = new FrontServer();

    @AfterEach
    void stop() {
        server.close();
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    @Test
    void aSmallResultComesAsJsonInOnePieceWithItsIdAndTimes() {
        server.queries.answer(FakeResult.numbers(server.allocator, 1, 2));

        HttpResponse<byte[]> response = server.post("select 1", "*/*");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(text(response))
                .isEqualTo("{\"queryId\":\"q1\",\"columns\":[{\"name\":\"n\",\"type\":\"BIGINT\",\"nullable\":true}],"
                        + "\"data\":[[0],[1]],\"rowCount\":2,\"truncated\":false}\n");
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/json");
        assertThat(response.headers().firstValue("Content-Length")).isPresent();
        assertThat(response.headers().firstValue("X-Weir-Query-Id")).hasValue("q1");
        assertThat(response.headers().firstValue("X-Weir-Queue-Ms")).hasValue("12");
        assertThat(response.headers().firstValue("Server-Timing")).hasValue("queue;dur=12.000, run;dur=34.000");
        await().until(() -> server.queries.last().result.closed.get());
        assertThat(server.queries.last().result.deliveredBytes).hasValue(response.body().length);
    }

    @Test
    void csvAndNdjsonHaveOneLineForEachRow() {
        server.queries.answer(r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, 2, 2)));

        assertThat(text(server.post("select 1", "text/csv"))).isEqualTo("n\r\n0\r\n1\r\n2\r\n3\r\n");
        assertThat(text(server.post("select 1", "application/x-ndjson")))
                .isEqualTo("{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
    }

    @Test
    void aLargeResultStreamsWholeInEveryFormat() throws Exception {
        int rows = 60 * 32_768;
        for (ResultFormat format : ResultFormat.values()) {
            server.queries.answer(FakeResult.numbers(server.allocator, 60, 32_768));
            HttpResponse<byte[]> response =
                    server.post("select n", format.mediaType().toString());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("Transfer-Encoding")).hasValue("chunked");
            if (format == ResultFormat.ARROW) {
                long next = 0;
                try (ArrowStreamReader reader =
                        new ArrowStreamReader(new ByteArrayInputStream(response.body()), server.allocator)) {
                    while (reader.loadNextBatch()) {
                        BigIntVector n =
                                (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
                        for (int i = 0; i < n.getValueCount(); i++) {
                            assertThat(n.get(i)).isEqualTo(next++);
                        }
                    }
                }
                assertThat(next).isEqualTo(rows);
            } else {
                String last = text(response).strip();
                assertThat(last.substring(last.length() - 60)).contains(Integer.toString(rows - 1));
            }
            await().until(() -> server.queries.last().result.closed.get());
            assertThat(server.queries.last().result.deliveredBytes).hasValue(response.body().length);
        }
    }

    @Test
    void aStatementWithoutRowsTellsItsCount() {
        server.queries.answer(
                r -> CompletableFuture.completedFuture(FakeResult.update(server.allocator, OptionalLong.of(7))));

        assertThat(text(server.post("delete", "application/json")))
                .isEqualTo("{\"queryId\":\"q1\",\"updateCount\":7}\n");
        assertThat(text(server.post("delete", "text/csv"))).isEqualTo("Count\r\n7\r\n");
        assertThat(text(server.post("delete", "application/x-ndjson"))).isEqualTo("{\"Count\":7}\n");
    }

    @Test
    void aFailureBeforeTheFirstByteIsAProblemWithTheQuerysId() {
        server.queries.fail(new GatewayException(GatewayErrorCode.INVALID_SQL, "syntax error"));

        HttpResponse<byte[]> response = server.post("selec", "text/csv");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(text(response)).contains("\"code\":\"INVALID_SQL\"", "\"queryId\":\"q1\"", "\"sqlState\":\"42601\"");
    }

    @Test
    void aFailureInTheMiddleNeverLooksLikeAWholeAnswer() {
        GatewayException broken = new GatewayException(GatewayErrorCode.EXECUTION_FAILED, "division by zero");
        for (ResultFormat format : ResultFormat.values()) {
            server.queries.answer(FakeResult.numbers(server.allocator, 60, 32_768, broken));
            assertThatThrownBy(() -> server.post("select n", format.mediaType().toString()))
                    .as(format.name())
                    .hasCauseInstanceOf(java.io.IOException.class);
            await().until(() -> server.queries.last().result.closed.get());
        }
    }
}
