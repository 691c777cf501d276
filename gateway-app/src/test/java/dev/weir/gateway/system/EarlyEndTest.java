package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Queries that end while their rows are being encoded. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(120)
class EarlyEndTest {

    private static final int ROUNDS = 15;

    private TestGateway gateway;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        gateway = TestGateway.start(directory);
    }

    @AfterAll
    void stop() {
        gateway.close();
    }

    /** What comes until the connection is broken off. */
    private String body(String accept) throws Exception {
        HttpRequest request = gateway.request(TestGateway.READER, "/v1/queries")
                .header("Accept", accept)
                .header("X-Weir-Timeout", "300ms")
                .POST(HttpRequest.BodyPublishers.ofString("select i, hash(i) as h from range(100000000) t(i)"))
                .build();
        HttpResponse<InputStream> answer = gateway.client().send(request, HttpResponse.BodyHandlers.ofInputStream());
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 16];
        try (InputStream in = answer.body()) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                read.write(buffer, 0, count);
            }
            throw new AssertionError("The answer looks whole");
        } catch (IOException brokenOff) {
            return read.toString(StandardCharsets.UTF_8);
        }
    }

    @Test
    void theLastLineSaysWhy() throws Exception {
        for (int round = 0; round < ROUNDS; round++) {
            String body = body("application/x-ndjson");
            String last = body.substring(body.lastIndexOf('\n', body.length() - 2) + 1);
            assertThat(last).as("round %d", round).startsWith("{\"error\":").contains("STATEMENT_TIMEOUT");
        }
    }
}
