package dev.weir.engine.process;

import dev.weir.engine.EngineInfo;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts a pool: measures what an idle process needs, decides how its memory is limited, and makes the engine. */
final class PoolStart {

    private static final Logger log = LoggerFactory.getLogger(PoolStart.class);

    /** Enough for what the scan lets through; every stack counts against the limit of the address space. */
    private static final long STACK_BYTES = 16L << 20;

    private static final long HEAP_BYTES = 128L << 20;

    /** Batches sent and not confirmed, over loopback. */
    private static final long WINDOW_BYTES = 16L << 20;

    /** Queries at once in the shared process. */
    private static final int SHARED_SLOTS = 16;

    /** Stacks of the queries that may be in one process, a batch being built, one being sent. */
    private static final long RESERVE_BYTES = 6 * STACK_BYTES + 2 * WINDOW_BYTES;

    private static final Duration PATIENCE = Duration.ofSeconds(15);
    private static final int START_SECONDS = 30;

    private final PoolSettings settings;
    private final ScheduledExecutorService timers = Timers.create();

    PoolStart(PoolSettings settings) {
        this.settings = settings;
    }

    ProcessPoolEngine open() {
        try {
            Path database = settings.engine().database();
            Supplier<FileVersion> version = () -> FileVersion.of(database);
            ChildLauncher.Plan plan = plan();
            ChildRequest request = request(version.get());
            ClassArchive.makeOnce(plan, request, timers);
            Measured measured = measure(plan, request);
            MemoryFence fence = MemoryFence.best(new AddressSpace(measured.addressSpace(), RESERVE_BYTES));
            log.info(
                    "Queries run in processes of their own, {} at once, {} MB and {} threads each; limit of the operating"
                            + " system: {}",
                    settings.slots(),
                    request.memoryBytes() >> 20,
                    request.threads(),
                    fence.description());
            PoolSize size = new PoolSize(
                    settings.slots(),
                    settings.shortSlots(),
                    settings.warm() + 1,
                    request,
                    Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors())),
                    PATIENCE);
            ProcessPoolEngine engine = new ProcessPoolEngine(
                    measured.info(),
                    DuckDbEngine.scanner(settings.engine()),
                    database == null,
                    new ProcessPoolEngine.Parts(
                            new ChildLauncher(plan, fence, timers), size, version, timers, settings.limitName()));
            return answering(engine);
        } catch (IOException e) {
            timers.shutdown();
            throw new ChildStartException("directory", "The directory of the processes cannot be made: " + e, e);
        } catch (RuntimeException e) {
            timers.shutdown();
            throw e;
        }
    }

    private static ProcessPoolEngine answering(ProcessPoolEngine engine) {
        try {
            var unused = ChildEngine.await(
                    engine.check().result().thenApply(nothing -> true).toCompletableFuture(), START_SECONDS);
            return engine;
        } catch (RuntimeException e) {
            engine.close();
            throw e;
        }
    }

    private ChildLauncher.Plan plan() throws IOException {
        Path base = settings.directory().toAbsolutePath().normalize();
        DuckDbSettings engine = settings.engine();
        DuckDbSettings each = new DuckDbSettings(
                engine.database(),
                engine.readOnly(),
                engine.directory(),
                engine.allowedDirectories(),
                engine.parquetViews(),
                engine.initSql(),
                engine.memoryLimitBytes(),
                engine.maxTempBytes() / settings.slots(),
                engine.threads(),
                engine.maxEngineThreads());
        return new ChildLauncher.Plan(
                each,
                ChildHome.prepare(base),
                Directories.ofThisProcess(base),
                "query",
                HEAP_BYTES,
                STACK_BYTES,
                WINDOW_BYTES,
                true,
                true,
                null);
    }

    private ChildRequest request(FileVersion version) {
        DuckDbSettings engine = settings.engine();
        long bytes = engine.memoryLimitBytes();
        return new ChildRequest(bytes, Threads.of(bytes, engine.threads()), SHARED_SLOTS, version);
    }

    /** @param addressSpace of an idle process, in bytes; 0 where that is not known */
    private record Measured(EngineInfo info, long addressSpace) {}

    /** Starts one process without a limit, lets it answer, and looks at it; also finds what is wrong with settings. */
    private Measured measure(ChildLauncher.Plan plan, ChildRequest request) {
        try (ChildLauncher launcher = new ChildLauncher(plan, MemoryFence.none("none"), timers)) {
            Child child = ChildEngine.await(launcher.start(request).toCompletableFuture(), START_SECONDS);
            QueryEngine engine = child.engine();
            var unused = ChildEngine.await(
                    engine.check().result().thenApply(nothing -> true).toCompletableFuture(), START_SECONDS);
            long bytes = PeakMemory.addressSpace(child.pid());
            child.kill();
            var ended = ChildEngine.await(
                    child.exited().toCompletableFuture().orTimeout(5, TimeUnit.SECONDS), START_SECONDS);
            log.debug("The measured process ended: {}", ended);
            EngineInfo info = engine.info();
            return new Measured(new EngineInfo(info.name(), info.version(), true), Math.max(0, bytes));
        }
    }
}
