package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.cli.query.FakeGateway;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Ctrl-C, on a real process. */
@Timeout(60)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "there are no signals to send")
class QueryInterruptTest {

    @Test
    void interruptingARunningQueryCancelsItOnTheGateway() throws Exception {
        CountDownLatch streaming = new CountDownLatch(1);
        try (FakeGateway gateway = new FakeGateway()) {
            gateway.query = exchange -> {
                OutputStream out = FakeGateway.begin(exchange, "text/csv");
                out.write("a\r\n1\r\n".getBytes(StandardCharsets.UTF_8));
                out.flush();
                streaming.countDown();
                gateway.deleted.await();
            };
            Process process = start(gateway, "--format=csv");
            try {
                assertThat(streaming.await(30, TimeUnit.SECONDS)).isTrue();
                // The id comes with the headers, so a first byte on standard output means that it is known.
                assertThat(process.getInputStream().read()).isEqualTo('a');
                interrupt(process);

                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).isEqualTo(130);
                assertThat(gateway.deleted.getCount()).isZero();
                assertThat(gateway.received)
                        .extracting(FakeGateway.Received::path)
                        .contains("/v1/queries/q-1");
                assertThat(errors(process)).isEqualTo("cancelling the query\n");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Test
    void interruptingAWaitingQueryEndsAtOnce() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        try (FakeGateway gateway = new FakeGateway()) {
            gateway.query = exchange -> {
                arrived.countDown();
                release.await();
            };
            Process process = start(gateway, "--format=csv");
            try {
                assertThat(arrived.await(30, TimeUnit.SECONDS)).isTrue();
                interrupt(process);

                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
                assertThat(process.exitValue()).isEqualTo(130);
                assertThat(errors(process)).isEqualTo("cancelling the query\n");
            } finally {
                release.countDown();
                process.destroyForcibly();
            }
        }
    }

    private static Process start(FakeGateway gateway, String option) throws Exception {
        List<String> command = new ArrayList<>(ChildProcess.command(
                List.of("-XX:TieredStopAtLevel=1"),
                List.of("query", "--url", gateway.url(), "-u", "admin:secret", option, "select 1")));
        command.addAll(0, heedingInterrupts());
        return new ProcessBuilder(command).start();
    }

    /**
     * A shell starts its background jobs, and so a build in the background and all its children, with SIGINT ignored; a
     * JVM leaves it so. A terminal does not, and that is what is tested here.
     */
    private static List<String> heedingInterrupts() throws Exception {
        List<String> env = List.of("env", "--default-signal=INT");
        Process tried = new ProcessBuilder("env", "--default-signal=INT", "true").start();
        return tried.waitFor() == 0 ? env : List.of();
    }

    private static void interrupt(Process process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    private static String errors(Process process) throws Exception {
        return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
