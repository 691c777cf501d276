package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Set;
import org.awaitility.Awaitility;

/** What the gateway says of its queries. */
final class HttpStatus {

    private static final Set<String> RUNNING = Set.of("RUNNING", "STREAMING", "CANCELLING");

    private HttpStatus() {}

    /** Waits until a user has so many queries running. */
    static void awaitRunning(Gateway gateway, String user, int count) throws Exception {
        Http http = new Http(gateway);
        Awaitility.await(count + " running queries")
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> assertThat(running(http, user)).isEqualTo(count));
    }

    private static int running(Http http, String user) throws Exception {
        var response =
                http.client().send(http.request("/v1/queries", user).GET().build(), BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(200);
        int running = 0;
        for (JsonNode query : new ObjectMapper().readTree(response.body()).path("queries")) {
            if (RUNNING.contains(query.path("state").asText())) {
                running++;
            }
        }
        return running;
    }
}
