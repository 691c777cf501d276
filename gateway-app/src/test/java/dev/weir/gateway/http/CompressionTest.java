package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.github.luben.zstd.ZstdInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies by Accept-Encoding. */
class CompressionTest {

    private static final String ARROW = "application/vnd.apache.arrow.stream";

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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ";codecs=zstd|zstd",
                "; codecs=\"zstd\"|zstd",
                ";codecs=\"brotli, lz4, zstd\"|lz4",
                ";codecs=\"zstd,lz4\"|zstd",
                ";codecs=lz4|lz4",
                ";codec=ZSTD|zstd",
                ";codecs=none|none",
                "|none",
                ";q=0.5;codecs=zstd|zstd"
            })
    void anArrowStreamsBuffersAreCompressedOnRequestAndItsBodyIsNotThen(String parameters, String codec)
            throws Exception {
        for (boolean encoded : new boolean[] {false, true}) {
            server.queries.answer(r -> {
                FakeResult result = FakeResult.numbers(server.allocator, 20, 5000);
                return CompletableFuture.completedFuture(encoded ? result.encoded(server.allocator) : result);
            });
            String accept = ARROW + (parameters == null ? "" : parameters);
            HttpResponse<byte[]> response = server.post("select 1", accept, "Accept-Encoding", "zstd, gzip");

            boolean compressed = !codec.equals("none");
            assertThat(response.headers().firstValue("Content-Encoding"))
                    .isEqualTo(compressed ? Optional.empty() : Optional.of("zstd"));
            assertThat(response.headers().firstValue("Content-Type"))
                    .hasValue(compressed ? ARROW + "; codecs=" + codec : ARROW);
            byte[] body = decoded(response);
            assertThat(body.length < 20 * 5000 * Long.BYTES).isEqualTo(compressed);
            assertThat(count(body)).isEqualTo(20 * 5000);
        }
    }

    /** Checks that numbers count up from 0. @return how many there are */
    static long count(byte[] body) throws IOException {
        long next = 0;
        try (ArrowStreamReader reader = new ArrowStreamReader(
                new ByteArrayInputStream(body), server.allocator, CommonsCompressionFactory.INSTANCE)) {
            while (reader.loadNextBatch()) {
                BigIntVector n = (BigIntVector) reader.getVectorSchemaRoot().getVector("n");
                for (int i = 0; i < n.getValueCount(); i++) {
                    assertThat(n.get(i)).isEqualTo(next++);
                }
            }
        }
        return next;
    }

    @Test
    void aStoredResultIsCompressedWhenItIsRead() throws Exception {
        server.queries.answer(FakeResult.numbers(server.allocator, 2, 5000));
        HttpResponse<byte[]> accepted = server.post("select 1", ARROW + ";codecs=zstd", "Prefer", "respond-async");
        assertThat(accepted.statusCode()).isEqualTo(202);
        String path = accepted.headers().firstValue("Location").orElseThrow() + "/result";
        await().until(() -> server.send(server.request(path)).statusCode() == 200);

        HttpResponse<byte[]> plain = server.send(server.request(path).header("Accept", ARROW));
        HttpResponse<byte[]> zstd = server.send(server.request(path).header("Accept", ARROW + ";codecs=zstd"));
        assertThat(zstd.body().length).isLessThan(plain.body().length);
        assertThat(count(zstd.body())).isEqualTo(count(plain.body())).isEqualTo(10_000);
    }

    @Test
    void anUnknownCodecIsRefusedWithTheKnownOnes() {
        HttpResponse<byte[]> refused = server.post("select 1", ARROW + ";codecs=brotli");
        assertThat(refused.statusCode()).isEqualTo(400);
        assertThat(new String(refused.body(), java.nio.charset.StandardCharsets.UTF_8))
                .contains("INVALID_REQUEST", "codecs", "none, zstd or lz4");
        // Another format has no codecs, whatever is said of Arrow's.
        server.queries.answer(FakeResult.numbers(server.allocator, 1, 3));
        assertThat(server.post("select 1", "text/csv, " + ARROW + ";q=0.1;codecs=brotli")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void aRowLimitCutsBeforeCompression() throws Exception {
        server.queries.answer(FakeResult.numbers(server.allocator, 20, 5000));
        HttpResponse<byte[]> response = server.post("select 1", ARROW + ";codecs=zstd", "X-Weir-Row-Limit", "7001");
        assertThat(count(response.body())).isEqualTo(7001);
    }
}
