package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.StartFailedException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that cannot start says why in one line that names the property, and leaves nothing running. */
class StartTest {

    @TempDir
    Path directory;

    private Path data;

    @BeforeEach
    void makeDataDirectory() throws Exception {
        data = Files.createDirectories(directory.resolve("data"));
    }

    @Test
    void aBusyPortIsNamed() throws Exception {
        for (String front : List.of("http", "flight", "management")) {
            try (ServerSocket busy = new ServerSocket(0)) {
                String line = failure("--weir." + front + ".port=" + busy.getLocalPort());
                assertThat(line).contains("weir." + front + ".port").contains(Integer.toString(busy.getLocalPort()));
            }
        }
    }

    @Test
    void twoFrontsOnOnePortAreNamed() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        assertThat(failure("--weir.http.port=" + port, "--weir.flight.port=" + port))
                .contains("weir.flight.port")
                .contains("weir.http.port");
    }

    @Test
    void anUnknownPropertyIsNamed() {
        assertThat(failure("--weir.http.prt=1")).contains("weir.http.prt");
    }

    @Test
    void aBadValueIsNamed() {
        assertThat(failure("--weir.http.port=many")).contains("weir.http.port").contains("many");
        assertThat(failure("--weir.admission.queue-timeout=soon")).contains("weir.admission.queue-timeout");
        assertThat(failure("--weir.admission.max-running=0")).contains("weir.admission.max-running");
        assertThat(failure("--weir.admission.memory.per-query=2GB")).contains("weir.admission.memory.per-query");
        assertThat(failure("--weir.admission.groups.etl.memory.budget=2GB"))
                .contains("weir.admission.groups.etl.memory.budget must be at most memory.budget");
        assertThat(failure("--weir.admission.groups.etl.max-runing=2"))
                .contains("weir.admission.groups.etl.max-runing");
        assertThat(failure("--weir.http.port=70000")).contains("weir.http.port");
        assertThat(failure("--weir.engine.duckdb.access=sometimes")).contains("weir.engine.duckdb.access");
    }

    @Test
    void aBrokenUsersFileIsNamed() throws Exception {
        Files.writeString(data.resolve("users.yaml"), "users: [ {name: ann");
        assertThat(failure()).contains("users");
    }

    @Test
    void aBrokenCertificateIsNamed() throws Exception {
        Path broken = Files.writeString(directory.resolve("broken.pem"), "not a certificate");
        assertThat(failure("--weir.tls.certificate=" + broken, "--weir.tls.private-key=" + broken))
                .contains("weir.tls.");
        assertThat(failure("--weir.tls.certificate=" + broken)).contains("weir.tls.private-key");
    }

    @Test
    void aFileThatIsNoDatabaseIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("no.duckdb"), "x".repeat(20_000));
        assertThat(failure("--weir.engine.duckdb.database=" + file)).contains("weir.engine.duckdb.database");
        assertThat(failure(
                        "--weir.engine.duckdb.access=read-only",
                        "--weir.engine.duckdb.database=" + directory.resolve("missing.duckdb")))
                .contains("weir.engine.duckdb.database");
    }

    @Test
    void isolationThatDoesNotFitTheDatabaseIsNamed() {
        String database = "--weir.engine.duckdb.database=" + data.resolve("db.duckdb");
        assertThat(failure(database, "--weir.engine.duckdb.isolation=process"))
                .contains("weir.engine.duckdb.isolation", "weir.engine.duckdb.access");
        assertThat(failure("--weir.engine.duckdb.isolation=process", "--weir.engine.duckdb.process=child"))
                .contains("weir.engine.duckdb.isolation", "weir.engine.duckdb.process");
        assertThat(failure("--weir.engine.duckdb.isolation=process", "--weir.engine.duckdb.processes=1000"))
                .contains("weir.engine.duckdb.processes", "weir.admission.memory.per-query");
        assertThat(failure("--weir.engine.duckdb.isolation=process", "--weir.engine.duckdb.warm-processes=1000"))
                .contains("weir.engine.duckdb.warm-processes");
    }

    @Test
    void whatAValueMustBeIsSaid() {
        assertThat(failure("--weir.engine.duckdb.process=chidl"))
                .contains("weir.engine.duckdb.process", "'chidl'", "gateway or child")
                .doesNotContain("dev.weir");
        assertThat(failure("--weir.admission.max-running=many"))
                .contains("weir.admission.max-running", "'many'", "a number");
    }

    @Test
    void aMissingDirectoryIsNamed() {
        assertThat(failure("--weir.engine.duckdb.parquet-views.events=" + directory.resolve("missing")))
                .contains("weir.engine.duckdb.parquet-views.events");
    }

    @Test
    void aQueryLogThatCannotBeWrittenIsNamed() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");
        assertThat(failure("--weir.query-log.file=" + file.resolve("queries.jsonl")))
                .contains("weir.query-log.file")
                .contains(file.toString());
        assertThat(failure("--weir.query-log.max-files=0")).contains("weir.query-log.max-files");
        assertThat(failure("--weir.query-log.max-size=0B")).contains("weir.query-log.max-size");
    }

    @Test
    void plaintextOffLoopbackIsRefusedUnlessAllowed() throws Exception {
        assertThat(failure("--weir.tls.enabled=false")).contains("weir.tls.allow-plaintext");
        try (var gateway = GatewayApplication.start(
                TestGateway.arguments(
                        data,
                        "--weir.tls.enabled=false",
                        "--weir.http.address=127.0.0.1",
                        "--weir.flight.address=127.0.0.1"),
                List.of())) {
            assertThat(gateway.connect().lines("admin")).anyMatch(line -> line.contains("http://localhost:"));
        }
    }

    @Test
    void aPortIsFreeAgainAfterAFailedStart() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Files.writeString(data.resolve("users.yaml"), "users: nonsense");
        failure("--weir.http.port=" + port);
        Files.delete(data.resolve("users.yaml"));
        try (var gateway =
                GatewayApplication.start(TestGateway.arguments(data, "--weir.http.port=" + port), List.of())) {
            assertThat(gateway.connect().httpPort()).isEqualTo(port);
            assertThat(gateway.generatedAdminPassword())
                    .as("the first start makes the admin")
                    .isPresent();
        }
        try (var again = GatewayApplication.start(TestGateway.arguments(data), List.of())) {
            assertThat(again.generatedAdminPassword()).as("the second does not").isEmpty();
        }
    }

    private String failure(String... properties) {
        StartFailedException failed = catchThrowableOfType(
                StartFailedException.class,
                () -> GatewayApplication.start(TestGateway.arguments(data, properties), List.of())
                        .close());
        assertThat(failed).as("the start should have failed").isNotNull();
        assertThat(failed.getMessage().lines()).hasSize(1);
        return failed.getMessage();
    }
}
