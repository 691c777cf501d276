package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretCommandTest {

    @TempDir
    Path directory;

    private final TestCli cli = new TestCli();

    @Test
    void theSecretIsRandomAndItsOwnersAlone() throws IOException {
        Path first = directory.resolve("first.secret");
        Path second = directory.resolve("second.secret");

        assertThat(cli.run("secret", "--out", first.toString())).isZero();
        assertThat(cli.run("secret", "--out", second.toString())).isZero();

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(first)))
                .isEqualTo("rw-------");
        assertThat(Base64.getDecoder().decode(Files.readString(first).strip())).hasSize(32);
        assertThat(Files.readString(first)).endsWith("\n").isNotEqualTo(Files.readString(second));
        assertThat(cli.out()).as("the secret is in the file alone").isEmpty();
        assertThat(cli.err())
                .contains("Made " + first)
                .doesNotContain(Files.readString(first).strip());
    }

    @Test
    void aFileThatExistsIsLeftAsItIs() throws IOException {
        Path file = Files.writeString(directory.resolve("cluster.secret"), "in use");

        assertThat(cli.run("secret", "--out", file.toString())).isEqualTo(1);

        assertThat(file).hasContent("in use");
        assertThat(cli.err()).hasLineCount(1).contains("exists and is left as it is");
    }

    @Test
    void whatIsWrongIsSaidInOneLine() {
        Path file = directory.resolve("missing").resolve("cluster.secret");

        assertThat(cli.run("secret", "--out", file.toString())).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("does not exist");
        assertThat(cli.run("secret")).isEqualTo(2);
    }
}
