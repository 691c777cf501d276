package dev.weir.engine.process;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.remote.RemoteEngine;
import dev.weir.engine.remote.RemoteSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts children as processes of this machine and connects to them over loopback. */
final class ChildLauncher implements ChildFactory {

    /**
     * How the children of one engine are started.
     *
     * @param engine what each opens; its memory and threads are replaced by those of the request
     * @param home what they run from
     * @param directory for their own directories
     * @param name first part of their names
     * @param heapBytes of each
     * @param stackBytes of each of their threads that go into native code
     * @param windowBytes most bytes of sent batches that each holds for one query
     * @param measured whether each query has its child for itself: its memory is limited and its peak measured
     * @param small whether each stays small and starts fast, instead of compiling its code well in time
     * @param newArchive where a child leaves an archive of its classes at its end; null for none
     */
    record Plan(
            DuckDbSettings engine,
            ChildHome home,
            Path directory,
            String name,
            long heapBytes,
            long stackBytes,
            long windowBytes,
            boolean measured,
            boolean small,
            @Nullable Path newArchive) {

        /** The same, with children that leave an archive of their classes. */
        Plan archiving(Path file) {
            return new Plan(engine, home, directory, name, heapBytes, stackBytes, windowBytes, measured, small, file);
        }
    }

    private static final Logger log = LoggerFactory.getLogger(ChildLauncher.class);

    /**
     * How long a child or its gateway may be silent. The end of either is seen at once, by the pipe and the connection
     * between them; only a process that is stopped is silent, or one on a machine that is busy beyond measure.
     */
    static final Duration SILENCE = Duration.ofSeconds(30);

    private static final Duration HEARTBEAT = Duration.ofSeconds(2);
    private static final Duration START_TIME = Duration.ofSeconds(20);
    private static final Duration CLOSE_TIME = Duration.ofSeconds(25);
    private static final int SECRET_BYTES = 32;

    /** Nothing else of the gateway's environment: there may be secrets in it. */
    private static final Set<String> ENVIRONMENT = Set.of("PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH");

    private final Plan plan;
    private final MemoryFence fence;
    private final ScheduledExecutorService background;
    private final ObjectMapper json = new ObjectMapper();
    private final SecureRandom random = new SecureRandom();
    private final AtomicLong numbers = new AtomicLong();
    private final Set<ProcessChild> living = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    ChildLauncher(Plan plan, MemoryFence fence, ScheduledExecutorService background) {
        this.plan = plan;
        this.fence = fence;
        this.background = background;
    }

    @Override
    public String limit() {
        return fence.name();
    }

    @Override
    public CompletionStage<Child> start(ChildRequest request) {
        CompletableFuture<Child> ready = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        ready.complete(started(request));
                    } catch (ChildStartException e) {
                        ready.completeExceptionally(e);
                    } catch (IOException | RuntimeException e) {
                        ready.completeExceptionally(
                                new ChildStartException("isolation", "A process cannot be started: " + e, e));
                    }
                },
                "weir-child-start");
        thread.setDaemon(true);
        thread.start();
        return ready;
    }

    private Child started(ChildRequest request) throws IOException {
        long number = numbers.incrementAndGet();
        String name = plan.name() + "-" + number;
        Path directory = Files.createDirectories(plan.directory().resolve(name));
        byte[] secret = new byte[SECRET_BYTES];
        random.nextBytes(secret);
        MemoryFence.Fenced fenced = fence.fence(number, request.memoryBytes());
        ProcessBuilder builder = new ProcessBuilder(fenced.within(command(directory)));
        builder.directory(directory.toFile());
        builder.environment().keySet().retainAll(ENVIRONMENT);
        // With as many arenas as threads, freed memory stays with the process and the limit counts it.
        builder.environment().put("MALLOC_ARENA_MAX", "2");
        ProcessChild child = new ProcessChild(name, builder.start(), request, fenced, directory, background);
        living.add(child);
        child.gone().whenComplete((nothing, none) -> living.remove(child));
        try {
            if (closed) {
                throw new ChildStartException("isolation", "The engine is closed", null);
            }
            tell(child.process(), config(name, directory, secret, request));
            connect(child, answer(child), secret);
            return child;
        } catch (IOException | RuntimeException e) {
            child.kill();
            throw e;
        }
    }

    private void connect(ProcessChild child, ChildAnswer answer, byte[] secret) {
        EngineInfo info = answer.engine();
        if (info == null) {
            String setting = answer.setting();
            throw new ChildStartException(
                    setting == null ? "isolation" : setting, String.valueOf(answer.message()), null);
        }
        RemoteSettings settings = new RemoteSettings(
                child.name(), "127.0.0.1", answer.port(), null, secret, SILENCE, HEARTBEAT, Duration.ZERO);
        child.connected(new RemoteEngine(settings, info, DuckDbEngine.scanner(plan.engine())));
    }

    private List<String> command(Path directory) {
        ChildHome home = plan.home();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + (plan.heapBytes() >> 20) + "m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:CompressedClassSpaceSize=32m",
                "-XX:ReservedCodeCacheSize=48m",
                "-XX:MaxDirectMemorySize=256m",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-UsePerfData",
                "-XX:-CreateCoredumpOnCrash",
                "-XX:ErrorFile=" + directory.resolve(ProcessChild.CRASH_REPORT),
                "-Xshare:auto",
                // The JVM's own warnings would come on standard output.
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--add-opens=java.base/java.nio=ALL-UNNAMED"));
        Path newArchive = plan.newArchive();
        if (newArchive != null) {
            command.add("-XX:ArchiveClassesAtExit=" + newArchive);
        } else if (Files.exists(home.archive())) {
            command.add("-XX:SharedArchiveFile=" + home.archive());
        }
        if (plan.small()) {
            command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:CICompilerCount=1"));
        }
        int version = Runtime.version().feature();
        if (version >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        if (version >= 24) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of(
                "-Djava.library.path=" + home.libraries(),
                "-Djava.io.tmpdir=" + directory,
                "-Djava.awt.headless=true",
                "-Dfile.encoding=UTF-8",
                "-Dlogback.configurationFile=" + home.logging(),
                "-Darrow.allocation.manager.type=Unsafe",
                // One small arena: there is one connection, and arenas reserve address space.
                "-Dio.netty.allocator.numDirectArenas=1",
                "-Dio.netty.allocator.numHeapArenas=1",
                "-Dio.netty.allocator.maxOrder=7",
                "-Dio.netty.eventLoopThreads=1",
                "-cp",
                home.classPath(),
                ChildMain.class.getName()));
        return command;
    }

    private ChildConfig config(String name, Path directory, byte[] secret, ChildRequest request) {
        DuckDbSettings engine = plan.engine();
        Path database = engine.database();
        Map<String, String> views = new LinkedHashMap<>();
        engine.parquetViews().forEach((view, path) -> views.put(view, path.toString()));
        return new ChildConfig(
                name,
                Base64.getEncoder().encodeToString(secret),
                database == null ? null : database.toAbsolutePath().toString(),
                engine.readOnly(),
                directory.toString(),
                engine.allowedDirectories().stream().map(Path::toString).toList(),
                views,
                engine.initSql(),
                request.memoryBytes(),
                engine.maxTempBytes(),
                request.threads(),
                request.slots(),
                plan.stackBytes(),
                plan.windowBytes(),
                plan.measured() && AddressSpace.isLinux(),
                plan.measured(),
                fence.name());
    }

    private void tell(Process process, ChildConfig config) throws IOException {
        try {
            OutputStream in = process.getOutputStream();
            in.write((json.writeValueAsString(config) + "\n").getBytes(StandardCharsets.UTF_8));
            in.flush();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for the line of a child that becomes ready, or says why it does not. */
    private ChildAnswer answer(ProcessChild child) throws IOException {
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(child.process().getInputStream(), StandardCharsets.UTF_8));
        var late = background.schedule(child::kill, START_TIME.toSeconds(), TimeUnit.SECONDS);
        try {
            String line;
            do {
                line = lines.readLine();
            } while (line != null && !line.startsWith("{"));
            if (line == null) {
                throw new ChildStartException("isolation", "A process ended while it was starting", null);
            }
            return json.readValue(line, ChildAnswer.class);
        } finally {
            late.cancel(false);
        }
    }

    @Override
    public void close() {
        closed = true;
        CompletableFuture<?>[] ends = living.stream()
                .map(child -> {
                    child.stop();
                    return child.gone();
                })
                .toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(ends).get(CLOSE_TIME.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | java.util.concurrent.ExecutionException e) {
            log.warn("{} child processes did not end in time", living.size());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        living.forEach(ProcessChild::kill);
    }
}
