package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies by Accept-Encoding. */
class CompressionTest {

    private static FrontServer server;

    @BeforeAll
    static void start() {
        server = new FrontServer();
    }

    @AfterAll
    static void stop() {
        await().until(() -> server.allocator.getAllocatedMemory() == 0);
        server.close();
    }

    private static byte[] decoded(HttpResponse<byte[]> response) throws IOException {
        InputStream raw = new ByteArrayInputStream(response.body());
        String coding = response.headers().firstValue("Content-Encoding").orElse("identity");
        try (InputStream in = switch (coding) {
            case "gzip" -> new GZIPInputStream(raw);
            case "zstd" -> new ZstdInputStream(raw);
            default -> raw;
        }) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "gzip|gzip",
                "zstd|zstd",
                "gzip, zstd|zstd",
                "gzip;q=1, zstd;q=0.5|gzip",
                "x-gzip|gzip",
                "*|gzip",
                "br, *;q=0|-",
                "gzip;q=0|-",
                "identity|-",
                "br|-"
            })
    void theCodingFollowsTheHeaderAndTheBodyIsTheSame(String accept, String coding) throws Exception {
        for (ResultFormat format : ResultFormat.values()) {
            // Some bodies of one chunk, some of many.
            for (int batches : new int[] {1, 20}) {
                server.queries.answer(
                        r -> CompletableFuture.completedFuture(FakeResult.numbers(server.allocator, batches, 5000)));
                String type = format.mediaType().toString();
                byte[] plain = server.post("select 1", type).body();
                HttpResponse<byte[]> response = server.post("select 1", type, "Accept-Encoding", accept);

                assertThat(response.headers().firstValue("Content-Encoding").orElse(null))
                        .isEqualTo(coding);
                assertThat(response.headers().firstValue("Vary")).hasValue("Accept, Accept-Encoding");
                byte[] body = decoded(response);
                // The JSON names its query.
                int from = format == ResultFormat.JSON ? 30 : 0;
                assertThat(new String(body, from, body.length - from, java.nio.charset.StandardCharsets.ISO_8859_1))
                        .endsWith(new String(
                                plain,
                                from + 2,
                                plain.length - from - 2,
                                java.nio.charset.StandardCharsets.ISO_8859_1));
                if (coding != null) {
                    assertThat(response.body().length).isLessThan(plain.length);
                }
            }
        }
    }

    @Test
    void aSmallBodyStaysAsItIs() {
        server.queries.answer(FakeResult.numbers(server.allocator, 1, 3));
        HttpResponse<byte[]> response = server.post("select 1", "text/csv", "Accept-Encoding", "gzip, zstd");
        assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(new String(response.body(), java.nio.charset.StandardCharsets.US_ASCII))
                .isEqualTo("n\r\n0\r\n1\r\n2\r\n");
    }
}
