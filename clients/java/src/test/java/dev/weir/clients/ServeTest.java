package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Starts that must not succeed: one clear line, exit code 1 or 2, nothing left running. One for each place where a start
 * can end; which faults are named there is shown without a process of their own by the gateway's {@code StartTest}.
 */
@Timeout(120)
class ServeTest {

    /** These processes end before compiled code would pay. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    @TempDir
    Path data;

    private List<Integer> ports;

    @BeforeEach
    void choosePorts() throws IOException {
        ports = Gateway.freePorts(3);
    }

    private Launcher.Result serve(String... more) throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of(
                "serve",
                "--weir.data-dir=" + data,
                "--weir.http.port=" + ports.get(0),
                "--weir.flight.port=" + ports.get(1),
                "--weir.management.port=" + ports.get(2)));
        for (String argument : more) {
            arguments.removeIf(
                    given -> argument.startsWith(given.substring(0, given.indexOf('=') + 1)) && given.contains("="));
            arguments.add(argument);
        }
        return Launcher.run(
                Map.of("WEIR_ADMIN_PASSWORD", Gateway.PASSWORD, "WEIR_JAVA_OPTS", SHORT_LIVED),
                arguments.toArray(new String[0]));
    }

    private static void assertOneLine(Launcher.Result result, String... parts) {
        assertThat(result.exitCode()).as(result.err()).isEqualTo(1);
        assertThat(result.err().lines().filter(line -> !line.isBlank())).hasSize(1);
        assertThat(result.err()).contains(parts).doesNotContain("Exception").doesNotContain("\tat ");
    }

    @Test
    void aBusyPortIsNamed() throws Exception {
        try (ServerSocket busy = new ServerSocket(ports.get(1))) {
            assertOneLine(serve(), "weir.flight.port", Integer.toString(busy.getLocalPort()));
        }
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource({"weir.http.port, 0", "weir.management.port, 2"})
    void everyBusyPortIsNamed(String property, int index) throws Exception {
        try (ServerSocket busy = new ServerSocket(ports.get(index))) {
            assertOneLine(serve(), property, Integer.toString(busy.getLocalPort()));
        }
    }

    @Test
    void anUnknownPropertyIsNamed() throws Exception {
        assertOneLine(serve("--weir.http.prot=1"), "weir.http.prot");
    }

    @ParameterizedTest
    @Tag("full")
    @CsvSource(
            delimiter = '|',
            value = {
                "--weir.admission.max-queued=many | weir.admission.max-queued",
                "--weir.admission.queue-timeout=soon | weir.admission.queue-timeout",
                "--weir.tls.certificate=/none.pem | weir.tls",
                "--weir.engine.duckdb.database=/none/x.duckdb | weir.engine.duckdb.database",
            })
    void aWrongPropertyIsNamed(String argument, String name) throws Exception {
        assertOneLine(serve(argument), name);
    }

    @Test
    void aBrokenUsersFileIsNamed() throws Exception {
        Files.writeString(data.resolve("users.yaml"), "users: [");

        assertOneLine(serve(), "weir.auth.users-file");
    }

    @Test
    void aDatabaseThatAnotherProcessHoldsIsNamed() throws Exception {
        Path file = data.resolve("held.duckdb");
        try (Connection holder = DriverManager.getConnection("jdbc:duckdb:" + file)) {
            assertThat(holder.isValid(1)).isTrue();
            assertOneLine(serve("--weir.engine.duckdb.database=" + file), "weir.engine.duckdb.database");
        }
    }

    @Test
    void anUnknownOptionIsAUsageError() throws Exception {
        Launcher.Result result = serve("--dmeo");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).hasLineCount(1).contains("--dmeo").contains("--demo");
    }
}
