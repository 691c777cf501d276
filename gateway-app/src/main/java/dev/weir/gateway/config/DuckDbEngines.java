package dev.weir.gateway.config;

import dev.weir.admission.AdmissionLimits;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbOpenException;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.process.ChildStartException;
import dev.weir.engine.process.PoolSettings;
import dev.weir.engine.process.ProcessPoolEngine;
import dev.weir.engine.process.SupervisedEngine;
import dev.weir.engine.process.SupervisedSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Opens DuckDB as configured: in this process, in a child, or in a process for each query. Used once. */
final class DuckDbEngines {

    private static final String PREFIX = "weir.engine.duckdb.";

    private final WeirProperties.Engine.DuckDb given;
    private final Path dataDirectory;
    private final EffectiveLimits limits;
    private final @Nullable Path database;
    private final boolean readOnly;

    DuckDbEngines(WeirProperties properties, EffectiveLimits limits) {
        this.given = properties.engine().duckdb();
        this.dataDirectory = absolute(properties.dataDir());
        this.limits = limits;
        this.database = given.database() == null ? null : absolute(given.database());
        this.readOnly = given.access() == WeirProperties.Engine.DatabaseAccess.READ_ONLY;
    }

    /** @throws StartFailedException with one line that names the property at fault */
    QueryEngine open() {
        boolean processes = given.isolation() == WeirProperties.Engine.Isolation.PROCESS;
        boolean child = given.process() == WeirProperties.Engine.Owner.CHILD;
        check(processes, child);
        try {
            if (processes) {
                return ProcessPoolEngine.open(pool());
            }
            DuckDbSettings settings = settings(limits.admission().memoryBudgetBytes(), readOnly);
            return child
                    ? SupervisedEngine.open(new SupervisedSettings(
                            settings, processDirectory(), given.processHeap().toBytes()))
                    : DuckDbEngine.open(settings);
        } catch (DuckDbOpenException e) {
            throw failed(e.setting(), e);
        } catch (ChildStartException e) {
            throw failed(e.setting(), e);
        }
    }

    private static StartFailedException failed(String setting, RuntimeException e) {
        String property = setting.equals("directory") ? "weir.data-dir" : PREFIX + setting;
        return new StartFailedException(property + ": " + e.getMessage(), e);
    }

    private void check(boolean processes, boolean child) {
        if (processes && database != null && !readOnly) {
            throw new StartFailedException(PREFIX + "isolation is process, which needs " + PREFIX
                    + "access to be read-only: a database that is written has one owner");
        }
        if (processes && child) {
            throw new StartFailedException(PREFIX + "process is child, which is for " + PREFIX
                    + "isolation=shared only: under isolation=process every query has a process");
        }
        boolean filesOnly = processes && database == null;
        if (readOnly && !filesOnly && (database == null || !Files.isRegularFile(database))) {
            throw new StartFailedException(
                    PREFIX + "access is read-only, so " + PREFIX + "database must name a file that exists");
        }
        if (given.threads() != null && given.threads() < 1) {
            throw new StartFailedException(PREFIX + "threads must be at least 1");
        }
        if (given.processHeap().toMegabytes() < 64) {
            throw new StartFailedException(PREFIX + "process-heap must be at least 64MB");
        }
    }

    private PoolSettings pool() {
        AdmissionLimits admission = limits.admission();
        long each = admission.group(AdmissionLimits.DEFAULT_GROUP).memoryPerQueryBytes();
        long fitting = Math.max(1, admission.memoryBudgetBytes() / each);
        int useful = admission.maxRunning() + admission.maxPaused();
        int slots = given.processes() == null ? (int) Math.min(fitting, useful) : given.processes();
        if (slots < 1 || slots > fitting) {
            throw new StartFailedException(PREFIX + "processes must be 1 to " + fitting
                    + ": weir.admission.memory.per-query (" + each + " bytes) of each must fit into"
                    + " weir.admission.memory.budget (" + admission.memoryBudgetBytes() + " bytes)");
        }
        int warm = given.warmProcesses() == null ? Math.min(slots, admission.maxRunning()) : given.warmProcesses();
        if (warm < 0 || warm > slots) {
            throw new StartFailedException(PREFIX + "warm-processes must be 0 to " + slots);
        }
        int forShort = Math.max(0, slots - useful);
        return new PoolSettings(
                settings(each, readOnly && database != null),
                processDirectory(),
                slots,
                Math.min(forShort, admission.shortLane()),
                warm,
                EffectiveLimits.PREFIX + "memory.per-query");
    }

    private DuckDbSettings settings(long memoryBytes, boolean openReadOnly) {
        int threads = given.threads() == null ? Runtime.getRuntime().availableProcessors() : given.threads();
        return new DuckDbSettings(
                database,
                openReadOnly,
                made(dataDirectory.resolve("duckdb")),
                directories(PREFIX + "allowed-directories", given.allowedDirectories()),
                views(PREFIX + "parquet-views", given.parquetViews()),
                given.initSql(),
                memoryBytes,
                given.maxTempSize().toBytes(),
                threads,
                limits.engineThreadsAtMost());
    }

    private Path processDirectory() {
        return made(dataDirectory.resolve("processes"));
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private static Path made(Path directory) {
        try {
            return Files.createDirectories(directory);
        } catch (IOException e) {
            throw new StartFailedException("weir.data-dir cannot be made or is no directory", e);
        }
    }

    private static List<Path> directories(String property, List<Path> given) {
        return given.stream().map(path -> directory(property, path)).toList();
    }

    private static Map<String, Path> views(String property, Map<String, Path> given) {
        Map<String, Path> views = new LinkedHashMap<>();
        given.forEach((name, path) -> views.put(name, directory(property + "." + name, path)));
        return views;
    }

    private static Path directory(String property, Path path) {
        if (!Files.isDirectory(path)) {
            throw new StartFailedException(property + " names '" + path + "', which is no directory");
        }
        return absolute(path);
    }
}
