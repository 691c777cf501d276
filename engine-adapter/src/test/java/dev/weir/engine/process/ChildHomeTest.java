package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What children run from. */
class ChildHomeTest {

    @TempDir
    Path directory;

    @Test
    void theNativeLibraryLiesAsAFileAndTheDriverHasNoneInIt() throws Exception {
        ChildHome home = ChildHome.prepare(directory);
        assertThat(home.libraries().resolve(System.mapLibraryName("duckdb_java")))
                .isRegularFile();
        assertThat(home.logging()).isRegularFile();
        List<String> drivers = List.of(home.classPath().split(File.pathSeparator)).stream()
                .filter(entry -> entry.contains("duckdb_jdbc"))
                .toList();
        assertThat(drivers).hasSize(1);
        assertThat(Path.of(drivers.get(0))).startsWith(home.libraries());
        try (ZipFile driver = new ZipFile(drivers.get(0))) {
            assertThat(driver.stream()).noneMatch(entry -> entry.getName().startsWith("libduckdb"));
            assertThat(driver.getEntry("org/duckdb/DuckDBDriver.class")).isNotNull();
        }
    }

    @Test
    void itIsMadeOnce() throws Exception {
        ChildHome first = ChildHome.prepare(directory);
        Object made = Files.getLastModifiedTime(first.libraries());
        assertThat(ChildHome.prepare(directory)).isEqualTo(first);
        assertThat(Files.getLastModifiedTime(first.libraries())).isEqualTo(made);
    }

    private static void zip(Path file, Map<String, byte[]> entries) throws Exception {
        try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                out.putNextEntry(new ZipEntry(entry.getKey()));
                out.write(entry.getValue());
                out.closeEntry();
            }
        }
    }

    @Test
    void anExecutableJarIsUnpackedAsFarAsChildrenNeedIt() throws Exception {
        byte[] library = "native".getBytes(StandardCharsets.UTF_8);
        Map<String, byte[]> inDriver = new LinkedHashMap<>();
        for (String architecture : List.of("amd64", "arm64")) {
            inDriver.put("libduckdb_java.so_linux_" + architecture, library);
            inDriver.put("libduckdb_java.so_macos_" + architecture, library);
            inDriver.put("libduckdb_java.so_windows_" + architecture, library);
        }
        inDriver.put("org/duckdb/DuckDBDriver.class", new byte[] {1});
        Path driver = directory.resolve("driver.jar");
        zip(driver, inDriver);
        Path boot = directory.resolve("app.jar");
        Map<String, byte[]> inBoot = new LinkedHashMap<>();
        inBoot.put("BOOT-INF/lib/", new byte[0]);
        inBoot.put("BOOT-INF/lib/duckdb_jdbc-9.jar", Files.readAllBytes(driver));
        inBoot.put("BOOT-INF/lib/arrow-vector-1.jar", Files.readAllBytes(driver));
        inBoot.put("BOOT-INF/lib/spring-core-1.jar", Files.readAllBytes(driver));
        inBoot.put("BOOT-INF/classes/A.class", new byte[] {1});
        zip(boot, inBoot);

        ChildHome home = ChildHome.prepare(directory.resolve("home"), List.of(boot));
        assertThat(home.libraries().resolve(System.mapLibraryName("duckdb_java")))
                .hasContent("native");
        assertThat(home.classPath().split(File.pathSeparator))
                .containsExactly(
                        home.libraries().resolve("arrow-vector-1.jar").toString(),
                        home.libraries().resolve("duckdb_jdbc-9.jar").toString());
        try (ZipFile split =
                new ZipFile(home.libraries().resolve("duckdb_jdbc-9.jar").toFile())) {
            assertThat(split.stream()).hasSize(1);
        }
    }
}
