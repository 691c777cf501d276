package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The process is told to end while its only slot streams and another query waits. */
@Timeout(240)
class StopTest {

    /** More than any buffer on the way holds. */
    private static final String LONG = "select i, repeat('x', 100) as s from range(1000000) t(i)";

    private static final long LONG_BYTES = 100_000_000;

    @Test
    void onSigtermTheStreamFinishesTheWaiterIsToldToTryAgainAndTheProcessEnds() throws Exception {
        try (Gateway gateway = Gateway.start(
                "--weir.admission.max-running=1", "--weir.admission.short-lane=0", "--weir.admission.max-paused=0")) {
            Http http = new Http(gateway);
            HttpResponse<InputStream> open = http.client()
                    .send(
                            http.query(Gateway.READER, "application/vnd.apache.arrow.stream", LONG),
                            BodyHandlers.ofInputStream());
            CompletableFuture<HttpResponse<String>> waiting = http.client()
                    .sendAsync(http.query(Gateway.WRITER, "text/csv", "select 1"), BodyHandlers.ofString());
            awaitQueued(http);

            gateway.process().destroy();

            HttpResponse<String> refused = waiting.get(20, TimeUnit.SECONDS);
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(gateway.process().isAlive()).isTrue();
            try (InputStream body = open.body()) {
                assertThat(body.transferTo(OutputStream.nullOutputStream())).isGreaterThan(LONG_BYTES);
            }
            assertThat(gateway.process().waitFor(30, TimeUnit.SECONDS))
                    .as(gateway::log)
                    .isTrue();
        }
    }

    private static void awaitQueued(Http http) {
        Awaitility.await("the second query waits")
                .atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(http.client()
                                .send(
                                        http.request("/v1/queries", Gateway.WRITER)
                                                .build(),
                                        BodyHandlers.ofString())
                                .body())
                        .contains("QUEUED"));
    }
}
