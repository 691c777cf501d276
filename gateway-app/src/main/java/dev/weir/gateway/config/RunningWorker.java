package dev.weir.gateway.config;

import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;

/** A worker that listens. */
public final class RunningWorker implements AutoCloseable {

    private final ConfigurableApplicationContext context;
    private final WorkerLifecycle lifecycle;

    RunningWorker(ConfigurableApplicationContext context, WorkerLifecycle lifecycle) {
        this.context = context;
        this.lifecycle = lifecycle;
    }

    /** The TCP port for gateways. */
    public int port() {
        return lifecycle.port();
    }

    /** What a gateway needs to know, for people. */
    public List<String> lines() {
        return lifecycle.lines();
    }

    /** For tests and embedding: the parts. */
    public ConfigurableApplicationContext context() {
        return context;
    }

    /** Drains and stops; returns when everything is closed. */
    @Override
    public void close() {
        context.close();
    }
}
