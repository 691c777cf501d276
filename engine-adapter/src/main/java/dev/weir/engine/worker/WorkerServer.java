package dev.weir.engine.worker;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.wire.Wire;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves an engine to gateways. Thread-safe; started once, stopped once. Does not own the engine, which has to stay
 * open until this is closed.
 *
 * <p>Enforces its own slots, memory and deadlines, whatever a gateway believes, and cancels what no gateway asks for.
 */
public final class WorkerServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WorkerServer.class);

    /** Least length of the shared secret. */
    private static final int SECRET_BYTES = 16;

    /** How long cancelled queries may take to stop. */
    private static final Duration STOP = Duration.ofSeconds(5);

    /** Gateways send little but for uploads, which it lets through as fast as an engine loads them. */
    private static final int FLOW_CONTROL_BYTES = 1 << 20;

    private final WorkerSettings settings;
    private final Runs runs;
    private final WorkerCalls calls;
    private final ScheduledExecutorService timer;
    private final ExecutorService executor;
    private final BufferAllocator uploads = new RootAllocator();
    private volatile @Nullable Server server;
    private volatile boolean closed;

    /**
     * @throws IllegalArgumentException for a secret under 16 bytes, or without a slot
     */
    public WorkerServer(QueryEngine engine, WorkerSettings settings) {
        if (settings.secret().length < SECRET_BYTES) {
            throw new IllegalArgumentException("The secret must have at least " + SECRET_BYTES + " bytes");
        }
        if (settings.slots() < 1) {
            throw new IllegalArgumentException("A worker needs a slot");
        }
        this.settings = settings;
        this.timer = timer();
        this.executor = Executors.newFixedThreadPool(
                Math.max(2, Runtime.getRuntime().availableProcessors()), threads("weir-worker-"));
        this.runs = new Runs(settings, timer, uploads);
        this.calls = new WorkerCalls(engine, settings, runs);
    }

    private static ScheduledExecutorService timer() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("weir-worker-timer-"));
        timer.setRemoveOnCancelPolicy(true);
        return timer;
    }

    private static ThreadFactory threads(String prefix) {
        AtomicInteger numbers = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + numbers.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /**
     * Opens the port.
     *
     * @throws IllegalStateException when it cannot be opened
     */
    public void start() {
        InetSocketAddress address = settings.address().isEmpty()
                ? new InetSocketAddress(settings.port())
                : new InetSocketAddress(settings.address(), settings.port());
        try {
            NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                    .executor(executor)
                    .maxInboundMessageSize(Wire.MAX_MESSAGE_BYTES)
                    .flowControlWindow(FLOW_CONTROL_BYTES)
                    .keepAliveTime(30, TimeUnit.SECONDS)
                    .keepAliveTimeout(10, TimeUnit.SECONDS)
                    .addService(ServerServiceDefinition.builder(Wire.SERVICE)
                            .addMethod(Wire.EXCHANGE, calls)
                            .build());
            KeyManager keys = settings.keys();
            if (keys != null) {
                builder.sslContext(tls(keys));
            }
            server = builder.build().start();
        } catch (IOException e) {
            throw new IllegalStateException("Port " + settings.port() + " cannot be opened", e);
        }
        log.info("Worker {} serves on port {}", settings.name(), port());
    }

    private static SslContext tls(KeyManager keys) throws SSLException {
        return GrpcSslContexts.configure(SslContextBuilder.forServer(keys), SslProvider.JDK)
                .protocols("TLSv1.3", "TLSv1.2")
                .build();
    }

    /** The TCP port, the one taken when 0 was asked for; -1 before the start. */
    public int port() {
        Server started = server;
        return started == null ? -1 : started.getPort();
    }

    /**
     * Tells of each statement that is started.
     *
     * @param watcher must not block
     */
    public void watch(BiConsumer<EngineQuery, EngineCall<ArrowResult>> watcher) {
        calls.watch(watcher);
    }

    /** Queries under way, those that wait to be resumed included. */
    public int running() {
        return runs.running();
    }

    /**
     * Refuses new queries as UNAVAILABLE from now on, lets those under way finish for as long as the grace, then
     * cancels the rest. Blocks for that long. Gateways see it with their next report or query and move on.
     */
    public void drain(Duration grace) {
        runs.drain();
        try {
            if (!runs.awaitNone(grace)) {
                runs.stopAll();
                if (!runs.awaitNone(STOP)) {
                    log.warn("{} queries did not stop within {} s", runs.running(), STOP.toSeconds());
                }
            }
        } catch (InterruptedException e) {
            runs.stopAll();
            Thread.currentThread().interrupt();
        }
    }

    /** Drains without grace and closes the port. Idempotent. */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        drain(Duration.ZERO);
        Server started = server;
        if (started != null) {
            started.shutdown();
            try {
                // The last answers are on their way.
                started.awaitTermination(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            started.shutdownNow();
        }
        timer.shutdownNow();
        executor.shutdown();
        long left = uploads.getAllocatedMemory();
        if (left == 0) {
            uploads.close();
        } else {
            log.warn("{} bytes of uploads were not given back", left);
        }
    }
}
