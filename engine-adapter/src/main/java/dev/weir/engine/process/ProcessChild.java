package dev.weir.engine.process;

import dev.weir.engine.QueryEngine;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A child that is an operating system's process. */
final class ProcessChild implements Child {

    private static final Logger log = LoggerFactory.getLogger(ProcessChild.class);

    /** For the database to be closed, its log written into it. */
    private static final int STOP_SECONDS = 20;

    private static final int DISCONNECT_MILLIS = 1_000;

    /** ExitOnOutOfMemoryError ends a JVM with this. */
    private static final int OUT_OF_HEAP = 3;

    private static final int KILLED = 128 + 9;

    /** The JVM's, where it would abort if it were to leave a core dump. */
    private static final int CRASHED = 1;

    private static final int ABORTED = 128 + 6;

    /** Where the JVM tells, in the child's directory, why it cannot go on. */
    static final String CRASH_REPORT = "crash.log";

    private static final int CRASH_REPORT_HEAD = 2_000;

    private final String name;
    private final Process process;
    private final ChildRequest request;
    private final MemoryFence.Fenced fence;
    private final Path directory;
    private final ScheduledExecutorService background;
    private final CompletableFuture<ChildExit> exited = new CompletableFuture<>();
    private final CompletableFuture<Void> gone = new CompletableFuture<>();
    private final Instant since;
    private volatile boolean memoryShort;
    private volatile boolean crashed;
    private volatile boolean wanted;
    private volatile boolean stopping;
    private volatile boolean used;
    private volatile @Nullable QueryEngine engine;

    /** Begins to watch a process that was just started. */
    ProcessChild(
            String name,
            Process process,
            ChildRequest request,
            MemoryFence.Fenced fence,
            Path directory,
            ScheduledExecutorService background) {
        this.name = name;
        this.process = process;
        this.request = request;
        this.fence = fence;
        this.directory = directory;
        this.background = background;
        this.since = Instant.now();
        Thread errors = new Thread(this::readErrors, "weir-" + name);
        errors.setDaemon(true);
        errors.start();
    }

    /** The engine that speaks to it, once it answers. */
    void connected(QueryEngine opened) {
        engine = opened;
        if (exited.isDone()) {
            opened.close();
        }
    }

    /** Completes (never exceptionally) when nothing is left of the process, its directory included. */
    CompletableFuture<Void> gone() {
        return gone;
    }

    Process process() {
        return process;
    }

    /** Copies its standard error into the log until it ends: that is the process's end, too. */
    private void readErrors() {
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = lines.readLine()) != null) {
                judge(line);
                log.warn("{} (process {}): {}", name, process.pid(), line);
            }
        } catch (IOException e) {
            log.debug("Reading from {} failed", name, e);
        }
        ended();
    }

    /** Looks whether this tells why the process ends. */
    private void judge(String words) {
        String lower = words.toLowerCase(Locale.ROOT);
        if (lower.contains("bad_alloc")
                || lower.contains("java.lang.outofmemoryerror")
                || lower.contains("insufficient memory")) {
            memoryShort = true;
        } else if (lower.contains("fatal error has been detected")) {
            crashed = true;
        }
    }

    /** The JVM prints the same where only the protocol is read. */
    private void readCrashReport() {
        try (InputStream report = Files.newInputStream(directory.resolve(CRASH_REPORT))) {
            String head = new String(report.readNBytes(CRASH_REPORT_HEAD), StandardCharsets.UTF_8);
            judge(head);
            log.warn("{} (process {}): {}", name, process.pid(), head);
        } catch (IOException e) {
            log.debug("{} left no report of a crash", name);
        }
    }

    private void ended() {
        int code;
        try {
            code = process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            code = -1;
        }
        if (!wanted) {
            readCrashReport();
        }
        if (crashed && code == CRASHED) {
            code = ABORTED;
        }
        boolean memory = fence.killedForMemory() || code == OUT_OF_HEAP || (memoryShort && code != KILLED);
        exited.complete(new ChildExit(code, memory && !wanted, wanted));
        fence.remove();
        Directories.remove(directory);
        if (wanted) {
            disconnect();
            gone.complete(null);
            return;
        }
        gone.complete(null);
        // Its calls shall see the end of their connection first, which tells more than a closed engine does.
        var unused = background.schedule(this::disconnect, DISCONNECT_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void disconnect() {
        QueryEngine opened = engine;
        if (opened != null) {
            opened.close();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long pid() {
        return process.pid();
    }

    @Override
    public QueryEngine engine() {
        QueryEngine opened = engine;
        if (opened == null) {
            throw new IllegalStateException(name + " is not ready");
        }
        return opened;
    }

    @Override
    public ChildRequest request() {
        return request;
    }

    @Override
    public Instant since() {
        return since;
    }

    @Override
    public void markUsed() {
        used = true;
    }

    @Override
    public boolean isUsed() {
        return used;
    }

    @Override
    public CompletionStage<ChildExit> exited() {
        return exited;
    }

    @Override
    public void kill() {
        wanted = true;
        process.destroyForcibly();
    }

    @Override
    public void stop() {
        wanted = true;
        synchronized (this) {
            if (stopping) {
                return;
            }
            stopping = true;
        }
        try {
            OutputStream in = process.getOutputStream();
            in.write((ChildMain.STOP + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (IOException e) {
            // It has ended, or is about to.
            process.destroyForcibly();
            return;
        }
        var unused = background.schedule(this::kill, STOP_SECONDS, TimeUnit.SECONDS);
    }
}
