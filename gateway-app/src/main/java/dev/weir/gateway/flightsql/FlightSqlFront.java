package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Ticker;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.Server;
import io.grpc.ServerInterceptor;
import io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.NettyServerBuilder;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;
import org.apache.arrow.memory.BufferAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Flight SQL server: built, started once, stopped once. Thread-safe.
 *
 * <p>Owns its threads, its sessions and a child of the given allocator; {@link #stop} gives them back.
 */
public final class FlightSqlFront implements AutoCloseable {

    private static final Duration CANCEL_GRACE = Duration.ofSeconds(5);
    private static final Duration QUIET = Duration.ofSeconds(1);
    private static final Duration LOOK_EVERY = Duration.ofMillis(50);
    private static final Logger LOG = LoggerFactory.getLogger(FlightSqlFront.class);
    private static final int EXPIRE_SECONDS = 5;
    private static final int MAX_CALLS_PER_CONNECTION = 1_000;

    /** Above this the transport itself refuses, without a word; below, up to the configured size, a status says why. */
    private static final int TRANSPORT_HEADER_FACTOR = 4;

    private final FlightSqlSettings settings;
    private final BufferAllocator allocator;
    private final ExecutorService executor;
    private final ScheduledThreadPoolExecutor scheduler;
    private final Statements statements;
    private final Polls polls;
    private final FlightSessions sessions;
    private final Transactions transactions;
    private final PreparedStatements prepared;
    private final OpenCalls calls = new OpenCalls();
    private final Server server;

    @GuardedBy("this")
    private boolean started;

    @GuardedBy("this")
    private boolean stopped;

    /**
     * @param parent allocator whose child holds parameters and small results; large results stay in the engine's
     * @param clock for sessions, prepared statements and tickets
     * @throws IllegalStateException when the TLS key material cannot be used
     */
    public FlightSqlFront(FlightSqlSettings settings, FlightSqlBackend backend, BufferAllocator parent, Clock clock) {
        this(settings, backend, parent, clock, List.of());
    }

    /**
     * As the other, with interceptors around every call, refused ones too.
     *
     * @param outer the first is the outermost
     */
    public FlightSqlFront(
            FlightSqlSettings settings,
            FlightSqlBackend backend,
            BufferAllocator parent,
            Clock clock,
            List<ServerInterceptor> outer) {
        this.settings = settings;
        this.allocator = parent.newChildAllocator("flight-sql", 0, Long.MAX_VALUE);
        this.executor = Executors.newFixedThreadPool(
                Math.max(4, 2 * Runtime.getRuntime().availableProcessors()), threads("weir-flight-"));
        this.scheduler = new ScheduledThreadPoolExecutor(1, threads("weir-flight-timer-"));
        this.scheduler.setRemoveOnCancelPolicy(true);
        Ticker ticker = () -> Instant.EPOCH.until(clock.instant(), ChronoUnit.NANOS);
        ByteBudget budget = new ByteBudget(FlightSqlSettings.PARAMETER_BUDGET_BYTES);
        this.sessions = new FlightSessions(backend.queries(), settings.sessionTimeToLive(), ticker);
        this.transactions = new Transactions(backend.queries(), sessions, settings.sessionTimeToLive(), ticker);
        this.prepared = new PreparedStatements(
                settings.maxPreparedStatements(), settings.preparedStatementTimeToLive(), budget, ticker);
        TicketLedger ledger = new TicketLedger(settings.ticketTimeToLive(), ticker);
        SignedHandles handles = new SignedHandles(backend.signer());
        Places places = new Places(backend.queries(), sessions, transactions);
        this.statements = new Statements(backend, handles, settings, places, ledger, budget, allocator, clock, ticker);
        this.polls = new Polls(statements, handles, settings, clock, ticker);
        FlightSqlService service = new FlightSqlService(
                backend,
                settings,
                new FlightCommands(
                        statements, polls, handles, prepared, new SqlInfoCatalog(backend, settings, allocator)),
                new Actions(
                        statements,
                        polls,
                        prepared,
                        new SessionActions(sessions, prepared, backend.queries()),
                        transactions),
                budget,
                scheduler);
        this.server = server(backend, service, outer);
    }

    /** Prepared statements that are open, for metrics. */
    public long openPreparedStatements() {
        return prepared.count();
    }

    private Server server(FlightSqlBackend backend, FlightSqlService service, List<ServerInterceptor> outer) {
        InetSocketAddress address = settings.address().isEmpty()
                ? new InetSocketAddress(settings.port())
                : new InetSocketAddress(settings.address(), settings.port());
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .executor(executor)
                .addStreamTracerFactory(calls)
                .addService(service.define(allocator, executor))
                .intercept(new CallInterceptor(backend.authenticator(), settings.maxHeaderBytes(), executor))
                .maxInboundMessageSize(settings.maxMessageBytes())
                .maxInboundMetadataSize(settings.maxHeaderBytes() * TRANSPORT_HEADER_FACTOR)
                .maxConcurrentCallsPerConnection(MAX_CALLS_PER_CONNECTION)
                // Finds clients that went away without a word: their queries must not run on.
                .keepAliveTime(30, TimeUnit.SECONDS)
                .keepAliveTimeout(20, TimeUnit.SECONDS)
                .permitKeepAliveTime(10, TimeUnit.SECONDS)
                .permitKeepAliveWithoutCalls(true)
                .maxConnectionIdle(1, TimeUnit.HOURS);
        // gRPC's last interceptor is its outermost.
        for (int i = outer.size() - 1; i >= 0; i--) {
            builder.intercept(outer.get(i));
        }
        FlightTls tls = settings.tls();
        if (tls != null) {
            builder.sslContext(sslContext(tls));
        }
        return builder.build();
    }

    private static SslContext sslContext(FlightTls tls) {
        SslContextBuilder builder = SslContextBuilder.forServer(tls.keys()).protocols("TLSv1.3", "TLSv1.2");
        if (tls.clientAuthorities() != null) {
            builder.trustManager(tls.clientAuthorities()).clientAuth(ClientAuth.OPTIONAL);
        }
        try {
            return GrpcSslContexts.configure(builder).build();
        } catch (SSLException e) {
            throw new IllegalStateException("the TLS key material cannot be used for the Flight SQL front", e);
        }
    }

    /**
     * Opens the port.
     *
     * @throws IllegalStateException when it cannot be opened; the message names the property
     */
    public synchronized void start() {
        if (started) {
            return;
        }
        try {
            server.start();
            started = true;
            long every = Polls.LOOK_EVERY.toMillis();
            var unused = scheduler.scheduleWithFixedDelay(polls::look, every, every, TimeUnit.MILLISECONDS);
            var unusedToo =
                    scheduler.scheduleWithFixedDelay(this::expire, EXPIRE_SECONDS, EXPIRE_SECONDS, TimeUnit.SECONDS);
        } catch (IOException e) {
            boolean taken = e instanceof BindException || e.getCause() instanceof BindException;
            throw new IllegalStateException(
                    "weir.flight.port " + settings.port()
                            + (taken ? " is in use or may not be opened" : " cannot be opened: " + e.getMessage()),
                    e);
        }
    }

    /** Closes what was not used for too long: expired sessions hold connections until someone looks. */
    private void expire() {
        try {
            transactions.expire();
            sessions.expire();
        } catch (RuntimeException e) {
            LOG.error("Expired sessions could not be closed", e);
        }
    }

    /** The TCP port, the one taken when 0 was asked for; -1 before the start. */
    public int port() {
        return server.getPort();
    }

    /** Whether calls are taken. */
    public synchronized boolean isRunning() {
        return started && !stopped;
    }

    /**
     * Takes no more calls, lets those under way finish for as long as the grace, then cancels the rest. Blocks for that
     * time and a few seconds more at most. Idempotent.
     */
    public void stop(Duration grace) {
        synchronized (this) {
            if (stopped) {
                return;
            }
            stopped = true;
        }
        statements.drain();
        server.shutdown();
        polls.drain();
        if (!awaitCalls(grace)) {
            statements.cancelAll();
            server.shutdownNow();
            awaitTermination(CANCEL_GRACE);
        }
        // A poll that was under way may have submitted one more.
        polls.drain();
        transactions.closeAll();
        sessions.closeAll();
        scheduler.shutdownNow();
        executor.shutdown();
        awaitExecutor();
        allocator.close();
    }

    /** Stops without grace. */
    @Override
    public void close() {
        stop(Duration.ZERO);
    }

    /** Until every call has ended; connections on which none is left are not waited for. */
    private boolean awaitCalls(Duration grace) {
        long end = System.nanoTime() + grace.toNanos();
        // Clients that were quiet leave within this; it is also for calls that are on their way when the stop begins.
        Duration wait = grace.compareTo(QUIET) < 0 ? grace : QUIET;
        while (!awaitTermination(wait)) {
            if (calls.isEmpty()
                    || System.nanoTime() - end >= 0
                    || Thread.currentThread().isInterrupted()) {
                return false;
            }
            wait = LOOK_EVERY;
        }
        return true;
    }

    private boolean awaitTermination(Duration time) {
        try {
            return server.awaitTermination(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitExecutor() {
        try {
            if (!executor.awaitTermination(CANCEL_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                executor.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            executor.shutdownNow();
        }
    }

    private static java.util.concurrent.ThreadFactory threads(String prefix) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
