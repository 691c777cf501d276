package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGKILL for a gateway whose queries run elsewhere: nothing goes on for it. */
@Tag("full")
@Timeout(600)
class GatewayKillTest {

    private static final String ENDLESS =
            "select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7";

    private static final Duration BOUND = Duration.ofSeconds(15);

    @TempDir
    Path directory;

    /** What is sent is never answered. */
    private static List<CompletableFuture<?>> sendEndless(Gateway gateway, int count) throws Exception {
        Http http = new Http(gateway);
        List<CompletableFuture<?>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(http.client()
                    .sendAsync(http.query(Gateway.READER, "text/csv", ENDLESS), BodyHandlers.discarding()));
        }
        HttpStatus.awaitRunning(gateway, Gateway.READER, count);
        return sent;
    }

    private static void kill(Gateway gateway) throws InterruptedException {
        gateway.process().destroyForcibly();
        gateway.process().waitFor();
    }

    @Test
    void itsChildrenEnd() throws Exception {
        try (Gateway gateway = Gateway.start(
                "--weir.engine.duckdb.access=read-only",
                "--weir.engine.duckdb.isolation=process",
                "--weir.admission.max-running=2",
                "--weir.admission.user.max-running=2",
                "--weir.admission.memory.budget=1GB",
                "--weir.admission.memory.per-query=300MB")) {
            List<CompletableFuture<?>> sent = sendEndless(gateway, 2);
            List<ProcessHandle> children = gateway.process().descendants().toList();
            assertThat(children).hasSizeGreaterThan(2);
            assertThat(sent).noneMatch(CompletableFuture::isDone);

            kill(gateway);

            Awaitility.await("the children are gone")
                    .atMost(BOUND)
                    .untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));
        }
    }

    @Test
    void itsQueriesOnWorkersEnd() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "a secret of tests, long enough\n");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        try (Worker one = Worker.start(directory.resolve("one"), secret);
                Worker two = Worker.start(directory.resolve("two"), secret)) {
            Path trusted = Files.writeString(directory.resolve("ca.pem"), one.certificate() + two.certificate());
            try (Gateway gateway = Gateway.start(
                    "--weir.workers[0].uri=grpc+tls://localhost:" + one.port(),
                    "--weir.workers[1].uri=grpc+tls://localhost:" + two.port(),
                    "--weir.cluster.tls.ca=" + trusted,
                    "--weir.cluster.secret-file=" + secret)) {
                List<CompletableFuture<?>> sent = sendEndless(gateway, 2);
                Awaitility.await("both workers run one")
                        .atMost(Duration.ofSeconds(20))
                        .until(() -> one.running() == 1 && two.running() == 1);
                assertThat(sent).noneMatch(CompletableFuture::isDone);

                kill(gateway);

                Awaitility.await("the workers are idle")
                        .atMost(BOUND)
                        .until(() -> one.running() == 0 && two.running() == 0);
            }
        }
    }
}
