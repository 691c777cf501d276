package dev.weir.gateway.config;

import dev.weir.engine.QueryEngine;
import java.nio.file.Path;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The engine behind the gateway. */
@Configuration(proxyBeanMethods = false)
class EngineConfiguration {

    private static final Logger log = LoggerFactory.getLogger(EngineConfiguration.class);

    private static final long FRONT_MEMORY = 1L << 30;

    /** Of the machine, where that is less. */
    private static final int FRONT_SHARE = 8;

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
        MemoryPlan plan = MemoryPlan.of(properties, limits);
        log.info("Memory: {}", plan.summary());
        plan.warning().ifPresent(log::warn);
        return new DuckDbEngines(properties, limits).open();
    }

    /** Arrow memory of the fronts: parameters and small answers of their own; results lie in the engine's. */
    @Bean(destroyMethod = "close")
    BufferAllocator frontAllocator() {
        return new RootAllocator(Math.min(FRONT_MEMORY, MachineMemory.bytes() / FRONT_SHARE));
    }

    private static Path absolute(Path path) {
        return path.toAbsolutePath().normalize();
    }
}
