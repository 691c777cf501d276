package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What children run from. */
class ChildHomeTest {

    @TempDir
    Path directory;

    @Test
    void theNativeLibraryLiesAsAFileAndTheDriverHasNoneInIt() throws Exception {
        ChildHome home = ChildHome.prepare(directory);
        assertThat(home.libraries().resolve(System.mapLibraryName("duckdb_java"))).isRegularFile();
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
        Object made = java.nio.file.Files.getLastModifiedTime(first.libraries());
        assertThat(ChildHome.prepare(directory)).isEqualTo(first);
        assertThat(java.nio.file.Files.getLastModifiedTime(first.libraries())).isEqualTo(made);
    }
}
