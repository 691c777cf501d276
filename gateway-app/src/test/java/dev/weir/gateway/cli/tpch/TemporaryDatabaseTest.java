package dev.weir.gateway.cli.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TemporaryDatabaseTest {

    @TempDir
    Path directory;

    private Path target() {
        return directory.resolve("a.duckdb");
    }

    @Test
    void theFileAppearsOnlyWhenItIsPublished() throws Exception {
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(target(), false)) {
            Files.writeString(temporary.path(), "rows");
            assertThat(target()).doesNotExist();
            temporary.publish();
        }
        assertThat(target()).hasContent("rows");
        assertThat(directory.toFile().list()).containsExactly("a.duckdb");
    }

    @Test
    void unpublishedWorkIsDeletedWithWhatLiesBesideIt() throws Exception {
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(target(), false)) {
            Files.writeString(temporary.path(), "rows");
            Files.writeString(Path.of(temporary.path() + ".wal"), "log");
            Path spill = Files.createDirectory(Path.of(temporary.path() + ".tmp"));
            Files.writeString(spill.resolve("block"), "spilled");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFileMadeMeanwhileIsKept() throws Exception {
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(target(), false)) {
            Files.writeString(temporary.path(), "late");
            Files.writeString(target(), "early");
            assertThatThrownBy(temporary::publish).isInstanceOf(TpchException.class);
        }
        assertThat(target()).hasContent("early");
    }

    @Test
    void withReplaceTheOldFileGivesWay() throws Exception {
        Files.writeString(target(), "old");
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(target(), true)) {
            Files.writeString(temporary.path(), "new");
            temporary.publish();
        }
        assertThat(target()).hasContent("new");
    }

    @Test
    void leftoversOfKilledProcessesAreDeletedButNotThoseOfLivingOnes() throws Exception {
        Path dead = Files.writeString(directory.resolve(".a.duckdb." + deadPid() + ".partial"), "x");
        Path deadLog = Files.writeString(Path.of(dead + ".wal"), "x");
        long parent = ProcessHandle.current().parent().orElseThrow().pid();
        Path living = Files.writeString(directory.resolve(".a.duckdb." + parent + ".partial"), "x");
        Path other = Files.writeString(directory.resolve(".a.duckdb.notes"), "x");

        TemporaryDatabase.beside(target(), false).close();

        assertThat(dead).doesNotExist();
        assertThat(deadLog).doesNotExist();
        assertThat(living).exists();
        assertThat(other).exists();
    }

    @Test
    void tooLittleSpaceIsSaidBeforeTheWork() throws Exception {
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(target(), false)) {
            assertThatThrownBy(() -> temporary.requireSpace(Long.MAX_VALUE))
                    .isInstanceOf(TpchException.class)
                    .hasMessageContaining("MB free");
        }
    }

    private static long deadPid() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("true").start();
        process.waitFor();
        return process.pid();
    }
}
