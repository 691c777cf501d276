package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/weir} with a Maven and a Java that only tell that they ran. */
class FirstRunTest {

    private static final List<String> TOOLS = List.of(
            "bash", "env", "cat", "dirname", "readlink", "mkdir", "rmdir", "sleep", "sed", "head", "touch", "rm");

    @TempDir
    Path directory;

    private Path root;
    private Path tools;

    @BeforeEach
    void makeACheckout() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/bash")), "bin/weir needs /bin/bash, which is not here");
        root = directory.resolve("weir");
        tools = Files.createDirectories(directory.resolve("tools"));
        Files.createDirectories(root.resolve("bin"));
        Files.copy(Path.of("..", "bin", "weir"), root.resolve("bin").resolve("weir"));
        Files.writeString(root.resolve("pom.xml"), "<project/>");
        script(tools.resolve("mvn"), """
                echo built >> "%1$s/builds"
                touch "%2$s/weir-app.jar"
                sleep 1
                echo complete >> "%2$s/weir-app.jar"
                """.formatted(
                        directory, root.resolve("gateway-app").resolve("target")));
        script(
                directory.resolve("java").resolve("bin").resolve("java"),
                "cat \"%s/gateway-app/target/weir-app.jar\"\n".formatted(root));
        Files.writeString(directory.resolve("java").resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");
    }

    @Test
    void firstRunsAtOnceBuildOnceAndWaitForAWholeJar() throws Exception {
        provide("flock");
        assertThat(runAtOnce(3)).containsOnly("complete");
        assertThat(builds()).hasSize(1);
        assertThat(runAtOnce(1)).as("a later run builds nothing").containsOnly("complete");
        assertThat(builds()).hasSize(1);
    }

    @Test
    void theyDoSoWithoutFlockToo() throws Exception {
        assertThat(runAtOnce(3)).containsOnly("complete");
        assertThat(builds()).hasSize(1);
        assertThat(root.resolve("gateway-app").resolve("target").resolve("weir-build.lock.d"))
                .doesNotExist();
    }

    @Test
    void aBuildThatWasKilledIsMadeAnew() throws Exception {
        Process killed = launch();
        Path jar = root.resolve("gateway-app").resolve("target").resolve("weir-app.jar");
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(jar));
        killed.descendants().forEach(ProcessHandle::destroyForcibly);
        killed.destroyForcibly();
        assertThat(killed.waitFor(60, TimeUnit.SECONDS)).isTrue();
        // Without flock the lock is a directory, which a kill leaves behind.
        Files.deleteIfExists(jar.resolveSibling("weir-build.lock.d"));
        assertThat(runAtOnce(1)).containsOnly("complete");
        assertThat(builds()).hasSize(2);
        assertThat(runAtOnce(1)).containsOnly("complete");
        assertThat(builds()).hasSize(2);
    }

    @Test
    void aBuildThatFailsLeavesNoLock() throws Exception {
        script(tools.resolve("mvn"), "exit 1\n");
        Process failed = launch();
        assertThat(failed.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failed.exitValue()).isEqualTo(1);
        assertThat(root.resolve("gateway-app").resolve("target").resolve("weir-build.lock.d"))
                .doesNotExist();
    }

    private List<String> builds() throws IOException {
        return Files.readAllLines(directory.resolve("builds"));
    }

    /** What the fake Javas of {@code count} launches at once print. */
    private List<String> runAtOnce(int count) throws Exception {
        List<Process> runs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            runs.add(launch());
        }
        List<String> printed = new ArrayList<>();
        for (Process run : runs) {
            assertThat(run.waitFor(60, TimeUnit.SECONDS)).isTrue();
            printed.add(new String(run.getInputStream().readAllBytes()).strip());
        }
        return printed;
    }

    private Process launch() throws IOException {
        for (String tool : TOOLS) {
            provide(tool);
        }
        ProcessBuilder process = new ProcessBuilder(
                        tools.resolve("bash").toString(),
                        root.resolve("bin").resolve("weir").toString(),
                        "query")
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        process.environment().put("PATH", tools.toString());
        process.environment().put("JAVA_HOME", directory.resolve("java").toString());
        return process.start();
    }

    /** Puts a tool of the system on the launcher's path, which has no other. */
    private void provide(String tool) throws IOException {
        for (String bin : List.of("/usr/bin", "/bin")) {
            Path found = Path.of(bin, tool);
            if (Files.exists(found) && !Files.exists(tools.resolve(tool))) {
                script(tools.resolve(tool), "exec " + found + " \"$@\"\n");
            }
        }
        assumeTrue(Files.exists(tools.resolve(tool)), tool + " is not on this machine");
    }

    private static void script(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/bash\n" + text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
