package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/weir} itself: how it finds its root, Java and the jar. */
@Timeout(60)
class LauncherTest {

    private static final Path WEIR = Launcher.ROOT.resolve("bin/weir");

    @TempDir
    Path directory;

    private record Ended(int code, String text) {}

    private static Ended run(Map<String, String> environment, String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("WEIR_JAVA_OPTS");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), text);
    }

    @Test
    void itFindsItsRootThroughLinks() throws Exception {
        Path absolute = Files.createSymbolicLink(directory.resolve("one"), WEIR);
        Path relative = Files.createSymbolicLink(directory.resolve("two"), Path.of("one"));

        Ended ended = run(Map.of(), relative.toString(), "--version");

        assertThat(absolute).isSymbolicLink();
        assertThat(ended.text()).startsWith("weir ");
        assertThat(ended.code()).isZero();
    }

    @Test
    void itHandsTheExitCodeOn() throws Exception {
        assertThat(run(Map.of(), WEIR.toString(), "no-such-command").code()).isEqualTo(2);
    }

    @Test
    void textOutsideAsciiSurvivesTheCLocale() throws Exception {
        Ended ended = run(Map.of("LC_ALL", "C"), WEIR.toString(), "größe");
        assertThat(ended.text()).contains("größe");
    }

    @Test
    void moreJvmOptionsAreTaken() throws Exception {
        Ended ended = run(Map.of("WEIR_JAVA_OPTS", "-XshowSettings:vm -Xmx123m"), WEIR.toString(), "--version");
        assertThat(ended.text()).contains("123.00M");
    }

    @Test
    void aWrongJavaHomeIsNamed() throws Exception {
        Ended ended = run(Map.of("JAVA_HOME", directory.toString()), WEIR.toString(), "--version");
        assertThat(ended.text())
                .hasLineCount(1)
                .startsWith("weir: JAVA_HOME is ")
                .contains("no bin/java");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void anOldJavaIsNamed() throws Exception {
        executable(directory.resolve("bin/java"), "exit 99");
        Files.writeString(directory.resolve("release"), "JAVA_VERSION=\"11.0.2\"\n");

        Ended ended = run(Map.of("JAVA_HOME", directory.toString()), WEIR.toString(), "--version");
        assertThat(ended.text()).hasLineCount(1).contains("Java 11").contains("17 or newer");
    }

    @Test
    void withoutJarAndMavenItSaysWhatIsMissing() throws Exception {
        Path root = checkout();

        Ended ended =
                run(Map.of("PATH", pathWithout("mvn")), root.resolve("bin/weir").toString(), "--version");

        assertThat(ended.text()).hasLineCount(1).contains("not built yet").contains("Maven");
        assertThat(ended.code()).isEqualTo(1);
    }

    @Test
    void withoutAJarItBuildsOnce() throws Exception {
        Path root = checkout();
        executable(
                directory.resolve("tools/mvn"),
                "echo \"$@\" > arguments; mkdir -p gateway-app/target; cp '" + Launcher.ROOT
                        + "/gateway-app/target/weir-app.jar' gateway-app/target/");
        Map<String, String> environment = Map.of("PATH", directory.resolve("tools") + ":" + System.getenv("PATH"));

        Ended first = run(environment, root.resolve("bin/weir").toString(), "--version");
        Ended second = run(environment, root.resolve("bin/weir").toString(), "--version");

        assertThat(first.text()).contains("building with Maven").contains("\nweir ");
        assertThat(second.text()).startsWith("weir ").hasLineCount(1);
        assertThat(root.resolve("arguments")).hasContent("-q -DskipTests package -pl gateway-app -am");
    }

    @Test
    void aFailedBuildEndsIt() throws Exception {
        Path root = checkout();
        executable(directory.resolve("tools/mvn"), "echo broken; exit 1");

        Ended ended = run(
                Map.of("PATH", directory.resolve("tools") + ":" + System.getenv("PATH")),
                root.resolve("bin/weir").toString(),
                "--version");

        assertThat(ended.text()).contains("broken").endsWith("weir: the build failed (see above)\n");
        assertThat(ended.code()).isEqualTo(1);
    }

    /** The launcher in a tree without a built jar. */
    private Path checkout() throws IOException {
        Path root = directory.resolve("checkout");
        Files.createDirectories(root.resolve("bin"));
        Files.copy(WEIR, root.resolve("bin/weir"), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        Files.writeString(root.resolve("pom.xml"), "");
        return root;
    }

    private String pathWithout(String tool) throws IOException {
        Path tools = Files.createDirectories(directory.resolve("path"));
        for (String name : List.of("bash", "env", "dirname", "readlink", "sed", "head", "pwd", "ls")) {
            for (String entry : System.getenv("PATH").split(":")) {
                Path found = Path.of(entry, name);
                if (Files.isExecutable(found) && Files.notExists(tools.resolve(name))) {
                    Files.createSymbolicLink(tools.resolve(name), found);
                }
            }
        }
        assertThat(tools.resolve(tool)).doesNotExist();
        return tools.toString();
    }

    private static void executable(Path file, String script) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
