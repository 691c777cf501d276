package dev.weir.gateway.config;

import dev.weir.engine.QueryEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbOpenException;
import dev.weir.engine.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The engine behind the gateway. */
@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

    private static final long FRONT_MEMORY = 1L << 30;

    @Bean
    RuntimeLimits runtimeLimits(WeirProperties properties, Environment environment) {
        Path file = absolute(properties.dataDir()).resolve("limits.yaml");
        return new RuntimeLimits(
                environment,
                new LimitsFile(file),
                Runtime.getRuntime().availableProcessors(),
                MachineMemory.bytes(),
                WorkersConfiguration.areConfigured(properties));
    }

    /** The limits of the start. */
    @Bean
    EffectiveLimits effectiveLimits(RuntimeLimits limits) {
        return limits.atStart();
    }

    @Bean
    @Conditional(WorkersConfiguration.None.class)
    QueryEngine queryEngine(WeirProperties properties, EffectiveLimits limits) {
        WeirProperties.Engine.DuckDb given = properties.engine().duckdb();
        String prefix = "weir.engine.duckdb.";
        boolean readOnly = given.access() == WeirProperties.Engine.DatabaseAccess.READ_ONLY;
        Path database = given.database();
        if (readOnly && (database == null || !Files.isRegularFile(database))) {
            throw new StartFailedException(
                    prefix + "access is read-only, so " + prefix + "database must name a file that exists");
        }
        int threads = given.threads() == null ? Runtime.getRuntime().availableProcessors() : given.threads();
        if (threads < 1) {
            throw new StartFailedException(prefix + "threads must be at least 1");
        }
        DuckDbSettings settings = new DuckDbSettings(
                database == null ? null : absolute(database),
                readOnly,
                dataDirectory(properties),
                directories(prefix + "allowed-directories", given.allowedDirectories()),
                views(prefix + "parquet-views", given.parquetViews()),
                given.initSql(),
                limits.admission().memoryBudgetBytes(),
                given.maxTempSize().toBytes(),
                threads,
                limits.engineThreadsAtMost());
        try {
            return DuckDbEngine.open(settings);
        } catch (DuckDbOpenException e) {
            String property = e.setting().equals("directory") ? "weir.data-dir" : prefix + e.setting();
            throw new StartFailedException(property + ": " + e.getMessage(), e);
        }
    }

    /** Arrow memory of the fronts: parameters and small answers of their own; results lie in the engine's. */
    @Bean(destroyMethod = "close")
    BufferAllocator frontAllocator() {
        return new RootAllocator(FRONT_MEMORY);
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }

    private static Path dataDirectory(WeirProperties properties) {
        Path directory = absolute(properties.dataDir()).resolve("duckdb");
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
