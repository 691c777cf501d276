package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether there is another file under a name. */
class FileVersionTest {

    @TempDir
    Path directory;

    @Test
    void aRenamedFileOfTheSameSizeIsAnother() throws Exception {
        Path served = Files.writeString(directory.resolve("a"), "one");
        FileVersion before = FileVersion.of(served);
        assertThat(FileVersion.of(served).replaces(before)).isFalse();
        Path next = Files.writeString(directory.resolve("b"), "two");
        Files.setLastModifiedTime(next, Files.getLastModifiedTime(served));
        Files.move(next, served, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        assertThat(FileVersion.of(served).replaces(before)).isTrue();
    }

    @Test
    void noFileIsNoOther() throws Exception {
        FileVersion before = FileVersion.of(Files.writeString(directory.resolve("a"), "one"));
        assertThat(FileVersion.of(directory.resolve("none")).replaces(before)).isFalse();
        assertThat(FileVersion.of(null)).isEqualTo(FileVersion.NONE);
    }
}
