package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Children never outlive their parent, however that ends. */
class ParentDeathTest {

    @TempDir
    Path directory;

    /** A gateway in small: starts a pool, lets a query run, tells the children's process ids and sleeps. */
    static final class Parent {

        private Parent() {}

        public static void main(String[] arguments) throws Exception {
            Path directory = Path.of(arguments[0]);
            ProcessPoolEngine engine = ProcessPoolEngine.open(
                    Databases.pool(directory.resolve("db.duckdb"), directory.resolve("processes"), 2, 1L << 30));
            var busy = engine.execute(EngineQuery.read(
                    "busy", "select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7"));
            while (engine.stats().activeCalls() == 0 || engine.nodes().size() < 3) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            for (EngineNode node : engine.nodes()) {
                System.out.println(node.address());
            }
            System.out.println("ready");
            Rows.await(busy.stopped());
        }
    }

    @Test
    void childrenEndWithAParentThatIsKilled() throws Exception {
        Databases.make(directory.resolve("db.duckdb"), "create table t (i int)");
        Process parent = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "--add-opens=java.base/java.nio=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Parent.class.getName(),
                        directory.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        List<ProcessHandle> children = new ArrayList<>();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(parent.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null && !line.equals("ready")) {
                if (line.startsWith("pid ")) {
                    children.add(
                            ProcessHandle.of(Long.parseLong(line.substring(4))).orElseThrow());
                }
            }
        } finally {
            parent.destroyForcibly();
        }
        assertThat(children).hasSize(3);
        Awaitility.await()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(children).noneMatch(ProcessHandle::isAlive));
        Path own = directory.resolve("processes").resolve(Long.toString(parent.pid()));
        Awaitility.await().untilAsserted(() -> assertThat(Directories.list(own)).isEmpty());
        assertThat(Directories.ofThisProcess(directory.resolve("processes"))).isEmptyDirectory();
        assertThat(own).doesNotExist();
    }
}
