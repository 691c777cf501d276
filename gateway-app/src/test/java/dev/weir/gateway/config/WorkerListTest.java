package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.cluster.ClusterSettings;
import dev.weir.engine.cluster.WorkerAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

/** Workers and their secret, as configured. */
class WorkerListTest {

    private final MockEnvironment environment = new MockEnvironment();

    @TempDir
    Path directory;

    private List<WorkerAddress> workers() {
        WeirProperties properties = GatewayEnvironment.bind(environment);
        return new WorkerList(properties).named(properties.workers());
    }

    @Test
    void aWorkerIsNamedByItsAddressUnlessItHasAName() {
        environment
                .withProperty("weir.workers[0].uri", "grpc+tls://one.example:31338")
                .withProperty("weir.workers[0].tls.server-name", "worker.example")
                .withProperty("weir.workers[1].uri", "grpc://127.0.0.1:31339")
                .withProperty("weir.workers[1].name", "second")
                .withProperty("weir.workers[1].slots", "3")
                .withProperty("weir.workers[1].memory", "2GB");
        List<WorkerAddress> workers = workers();
        assertThat(workers).extracting(WorkerAddress::name).containsExactly("one.example:31338", "second");
        assertThat(workers.get(0).trust()).isNotNull();
        assertThat(workers.get(0).serverName()).isEqualTo("worker.example");
        assertThat(workers.get(0).slots()).isZero();
        assertThat(workers.get(1).trust()).isNull();
        assertThat(workers.get(1).slots()).isEqualTo(3);
        assertThat(workers.get(1).memoryBytes()).isEqualTo(2L << 30);
    }

    @Test
    void faultsNameTheirProperty() {
        environment.withProperty("weir.workers[0].uri", "http://one:1");
        assertThatThrownBy(this::workers).hasMessageStartingWith("weir.workers[0].uri must be grpc+tls://host:port");
        environment.withProperty("weir.workers[0].uri", "grpc+tls://one");
        assertThatThrownBy(this::workers).hasMessageStartingWith("weir.workers[0].uri");
        environment.withProperty("weir.workers[0].uri", "grpc+tls://one:1").withProperty("weir.workers[0].slots", "0");
        assertThatThrownBy(this::workers).hasMessageStartingWith("weir.workers[0].slots");
        environment.withProperty("weir.workers[0].slots", "1").withProperty("weir.workers[1].uri", "grpc+tls://one:1");
        assertThatThrownBy(this::workers).hasMessageStartingWith("weir.workers[1].name: another worker");
        environment
                .withProperty("weir.workers[1].name", "b")
                .withProperty("weir.cluster.tls.ca", "/does/not/exist.pem");
        assertThatThrownBy(this::workers).hasMessageStartingWith("weir.cluster.tls.ca");
    }

    @Test
    void plaintextIsForLoopbackUnlessAllowed() {
        environment.withProperty("weir.workers[0].uri", "grpc://10.1.2.3:31338");
        assertThatThrownBy(this::workers).hasMessageContaining("weir.tls.allow-plaintext");
        environment.withProperty("weir.tls.allow-plaintext", "true");
        assertThat(workers()).hasSize(1);
    }

    @Test
    void workersFoundByANameShareEverythingButTheirAddress() {
        environment
                .withProperty("weir.cluster.discovery.uri", "grpc+tls://workers.example:31338")
                .withProperty("weir.cluster.discovery.slots", "5");
        WeirProperties properties = GatewayEnvironment.bind(environment);
        assertThat(WorkersConfiguration.areConfigured(properties)).isTrue();
        ClusterSettings.Discovery discovery = new WorkerList(properties).discovery();
        assertThat(discovery.host()).isEqualTo("workers.example");
        assertThat(discovery.template().port()).isEqualTo(31338);
        assertThat(discovery.template().slots()).isEqualTo(5);
        assertThat(discovery.template().trust()).isNotNull();
        assertThat(WorkersConfiguration.areConfigured(GatewayEnvironment.bind(new MockEnvironment())))
                .isFalse();
    }

    private Path secret(String text, String mode) throws IOException {
        Path file = directory.resolve("secret");
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    @Test
    void theSecretIsReadWithoutItsLineEnd() throws IOException {
        assertThat(ClusterSecret.read(secret("0123456789abcdef\n", "rw-r-----")))
                .isEqualTo("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aSecretThatIsNoneIsRefusedWithTheWayToMakeOne() throws IOException {
        assertThatThrownBy(() -> ClusterSecret.read(null))
                .isInstanceOf(StartFailedException.class)
                .hasMessageStartingWith("weir.cluster.secret-file is needed")
                .hasMessageContaining("bin/weir secret");
        assertThatThrownBy(() -> ClusterSecret.read(directory.resolve("absent")))
                .hasMessageContaining("does not exist");
        Path tooShort = secret("0123456789abcde\n\n\n", "rw-------");
        assertThatThrownBy(() -> ClusterSecret.read(tooShort)).hasMessageContaining("fewer than 16");
        Path open = secret("0123456789abcdef", "rw-r--r--");
        assertThatThrownBy(() -> ClusterSecret.read(open)).hasMessageContaining("chmod 600");
    }
}
