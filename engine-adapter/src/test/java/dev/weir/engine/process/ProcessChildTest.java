package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of the way in which a child ended. */
class ProcessChildTest {

    @TempDir
    Path directory;

    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void stop() {
        timers.shutdownNow();
    }

    private ChildExit exit(String script) throws IOException {
        Path own = Files.createDirectories(directory.resolve("child"));
        Process process =
                new ProcessBuilder("sh", "-c", script).directory(own.toFile()).start();
        ProcessChild child = new ProcessChild(
                "child",
                process,
                new ChildRequest(1 << 20, 1, 1, FileVersion.NONE),
                MemoryFence.none("none").fence(1, 1 << 20),
                own,
                timers);
        ChildExit exit = Rows.await(child.exited());
        Rows.await(child.gone());
        assertThat(own).doesNotExist();
        return exit;
    }

    @Test
    void aVirtualMachineThatGetsNoMemory() throws Exception {
        ChildExit exit = exit("echo '# There is insufficient memory for the Java Runtime Environment to continue.'"
                + " | tee crash.log; exit 1");
        assertThat(exit.memory()).isTrue();
        assertThat(exit.words()).isEqualTo("had no memory left");
    }

    /** A native library writes to standard error. */
    @Test
    void aLibraryThatGetsNoMemory() throws Exception {
        assertThat(exit("echo 'terminate called after throwing std::bad_alloc' >&2; exit 134")
                        .memory())
                .isTrue();
    }

    @Test
    void aHeapThatIsFull() throws Exception {
        assertThat(exit("exit 3").memory()).isTrue();
    }

    @Test
    void aCrashWithoutACoreDump() throws Exception {
        ChildExit exit =
                exit("echo '# A fatal error has been detected by the Java Runtime Environment:' > crash.log; exit 1");
        assertThat(exit.memory()).isFalse();
        assertThat(exit.words()).isEqualTo("crashed (signal 6)");
    }

    @Test
    void anEndWithoutAWord() throws Exception {
        ChildExit exit = exit("exit 1");
        assertThat(exit.memory()).isFalse();
        assertThat(exit.words()).isEqualTo("ended with code 1");
    }

    @Test
    void aKill() throws Exception {
        assertThat(exit("kill -9 $$").words()).isEqualTo("was killed");
    }
}
