package dev.weir.engine.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbOpenException;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A child process of the gateway: opens DuckDB and serves it on loopback. Configured by the first line of its standard
 * input; answers one line on its standard output; ends at once, whatever it does, when its standard input ends, which
 * the kernel sees to however its parent ends. A line {@code stop} lets it close the database first.
 */
public final class ChildMain {

    /** The line that asks for an orderly end. */
    static final String STOP = "stop";

    /** Exit code after an answer that says why the child cannot serve. */
    static final int NOT_STARTED = 2;

    /** The gateway gives a query its child; there is nothing to share out. */
    private static final long UNBOUNDED = Long.MAX_VALUE / 4;

    private ChildMain() {}

    /** Serves until the standard input ends. */
    public static void main(String[] arguments) throws IOException {
        PrintStream answers = System.out;
        // Nobody else's lines may stand where the parent waits for the answer.
        System.setOut(System.err);
        ObjectMapper json = new ObjectMapper();
        String first = readLine(System.in);
        if (first == null) {
            Runtime.getRuntime().halt(NOT_STARTED);
            return;
        }
        ChildConfig config = json.readValue(first, ChildConfig.class);
        Served served = new Served(Path.of(config.directory()));
        // Not a daemon, and the only thread that is none: it keeps the process going until the input ends.
        Thread watch = new Thread(() -> served.untilInputEnds(System.in), "weir-parent");
        watch.start();
        try {
            int port = served.open(config);
            answer(answers, json, ChildAnswer.ready(port, served.engine().info()));
        } catch (DuckDbOpenException e) {
            answer(answers, json, ChildAnswer.failed(e.setting(), String.valueOf(e.getMessage())));
            served.end(NOT_STARTED);
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) {
            e.printStackTrace();
            answer(answers, json, ChildAnswer.failed("database", "The process failed at its start: " + e));
            served.end(NOT_STARTED);
        }
    }

    private static void answer(PrintStream answers, ObjectMapper json, ChildAnswer answer)
            throws JsonProcessingException {
        answers.println(json.writeValueAsString(answer));
        answers.flush();
    }

    /** A line without its end; null at the end of the input. */
    private static @Nullable String readLine(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next;
        while ((next = in.read()) >= 0) {
            if (next == '\n') {
                return line.toString(StandardCharsets.UTF_8);
            }
            line.write(next);
        }
        return null;
    }

    /** What is open, and how it ends. */
    private static final class Served {

        private final Path directory;
        private volatile @Nullable DuckDbEngine engine;
        private volatile @Nullable WorkerServer server;

        Served(Path directory) {
            this.directory = directory;
        }

        int open(ChildConfig config) {
            DuckDbEngine opened = DuckDbEngine.open(config.engine());
            engine = opened;
            WorkerSettings settings = new WorkerSettings(
                    config.name(),
                    "127.0.0.1",
                    0,
                    null,
                    Base64.getDecoder().decode(config.secret()),
                    config.slots(),
                    UNBOUNDED,
                    config.windowBytes(),
                    ChildLauncher.SILENCE,
                    config.limit(),
                    config.measured() ? PeakMemory.ofThisProcess() : () -> 0);
            WorkerServer started = new WorkerServer(opened, settings);
            server = started;
            started.start();
            return started.port();
        }

        DuckDbEngine engine() {
            DuckDbEngine opened = engine;
            if (opened == null) {
                throw new IllegalStateException("Not open");
            }
            return opened;
        }

        void untilInputEnds(InputStream in) {
            try {
                String line = readLine(in);
                if (STOP.equals(line)) {
                    new Thread(this::close, "weir-stop").start();
                    line = readLine(in);
                }
            } catch (IOException e) {
                // As good as the end.
            }
            end(0);
        }

        private void close() {
            WorkerServer started = server;
            if (started != null) {
                started.drain(Duration.ZERO);
                started.close();
            }
            DuckDbEngine opened = engine;
            if (opened != null) {
                opened.close();
            }
            end(0);
        }

        /** Ends the process at once: no hook, no native destructor that could wait for a statement. */
        void end(int code) {
            Directories.remove(directory);
            Runtime.getRuntime().halt(code);
        }
    }
}
