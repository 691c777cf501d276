package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdInputStream;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A failure after the first byte: no client can take the answer for a whole one. */
class BrokenAnswerTest {

    private static final GatewayException FAILURE =
            new GatewayException(GatewayErrorCode.EXECUTION_FAILED, "division by zero");

    private static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void everythingIsGivenBack() {
        await().until(() -> server.allocator.getAllocatedMemory() == 0);
    }

    private RawClient.End read(ResultFormat format, ByteArrayOutputStream all, String... headers) throws IOException {
        server.queries.answer(FakeResult.numbers(server.allocator, 40, 32_768, FAILURE));
        try (RawClient client =
                new RawClient(server.port()).post(format.mediaType().toString(), "select 1", headers)) {
            assertThat(client.head()).startsWith("HTTP/1.1 200").containsIgnoringCase("transfer-encoding: chunked");
            RawClient.End end = client.readTo(all);
            await().untilTrue(server.queries.last().result.closed);
            return end;
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ResultFormat.class,
            names = {"JSON", "CSV", "ARROW"})
    void formatsWithoutAPlaceForAnErrorEndWithAReset(ResultFormat format) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        assertThat(read(format, all)).isEqualTo(RawClient.End.RESET);
        assertThat(all.size()).isPositive();
        String end = end(all.toByteArray());
        assertThat(end).doesNotEndWith("0\r\n\r\n").doesNotContain("rowCount");
    }

    @Test
    void ndjsonEndsWithAnErrorObjectAndWithoutTheLastChunk() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        assertThat(read(ResultFormat.NDJSON, all)).isEqualTo(RawClient.End.CLOSED);
        String end = end(all.toByteArray());
        assertThat(end).doesNotEndWith("0\r\n\r\n");
        String line = end.substring(end.indexOf("{\"error\":"));
        assertThat(line)
                .contains("\"code\":\"EXECUTION_FAILED\"", "\"detail\":\"division by zero\"", "\"queryId\":\"q");
    }

    @Test
    void theErrorObjectOfACompressedBodyCanBeRead() throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        assertThat(read(ResultFormat.NDJSON, all, "Accept-Encoding: zstd")).isEqualTo(RawClient.End.CLOSED);
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (InputStream in =
                new ZstdInputStream(new ByteArrayInputStream(dechunked(all.toByteArray()))).setContinuous(true)) {
            in.transferTo(text);
        }
        assertThat(end(text.toByteArray())).contains("{\"error\":{").endsWith("}}\n");
    }

    @Test
    void aCancelInTheMiddleIsToldToo() throws Exception {
        FakeResult result = FakeResult.numbers(server.allocator, Integer.MAX_VALUE, 32_768);
        server.queries.answer(result);
        try (RawClient client = new RawClient(server.port()).post("application/x-ndjson", "select 1")) {
            client.head();
            server.queries.last().cancel(dev.weir.gateway.query.CancelReason.ADMIN);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            assertThat(client.readTo(all)).isEqualTo(RawClient.End.CLOSED);
            assertThat(end(all.toByteArray())).contains("{\"error\":{", "\"code\":\"CANCELLED\"");
        }
    }

    @Test
    void aBodyForHttp10EndsWithTheConnectionAndABrokenOneWithAReset() throws Exception {
        String request =
                "POST /v1/queries HTTP/1.0\r\nX-User: ada\r\nAccept: text/csv\r\nContent-Length: 8\r\n\r\nselect 1";
        server.queries.answer(FakeResult.numbers(server.allocator, 40, 32_768));
        try (RawClient client = new RawClient(server.port()).send(request)) {
            assertThat(client.head()).contains(" 200 ").doesNotContainIgnoringCase("chunked");
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            assertThat(client.readTo(all)).isEqualTo(RawClient.End.CLOSED);
            assertThat(all.toString(StandardCharsets.US_ASCII))
                    .startsWith("n\r\n0\r\n1\r\n")
                    .endsWith("\r\n1310719\r\n");
        }
        server.queries.answer(FakeResult.numbers(server.allocator, 40, 32_768, FAILURE));
        try (RawClient client = new RawClient(server.port()).send(request)) {
            assertThat(client.head()).contains(" 200 ");
            assertThat(client.readTo(new ByteArrayOutputStream())).isEqualTo(RawClient.End.RESET);
        }
    }

    private static String end(byte[] all) {
        int from = Math.max(0, all.length - 2000);
        return new String(all, from, all.length - from, StandardCharsets.ISO_8859_1);
    }

    private static byte[] dechunked(byte[] body) {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        int at = 0;
        while (at < body.length) {
            int eol = at;
            while (body[eol] != '\r') {
                eol++;
            }
            int size = Integer.parseInt(new String(body, at, eol - at, StandardCharsets.US_ASCII), 16);
            plain.write(body, eol + 2, size);
            at = eol + 2 + size + 2;
        }
        return plain.toByteArray();
    }
}
