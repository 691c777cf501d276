package dev.weir.gateway.http;

import dev.weir.gateway.query.DrainControl;
import dev.weir.gateway.query.QueryService;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpMethod;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.security.web.server.firewall.ServerExchangeRejectedHandler;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebExceptionHandler;
import reactor.netty.http.server.HttpServer;

/** The HTTP front, put together. Owns its threads, its Arrow memory and the spooled results; close it after the server. */
public final class HttpFront implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HttpFront.class);

    private static final int DISK_THREADS = 4;
    private static final int MAX_SPOOL_READERS = 64;
    private static final Duration LONGEST_SWEEP = Duration.ofSeconds(30);
    private static final Duration SHORTEST_SWEEP = Duration.ofSeconds(1);
    private static final long CLOSE_SECONDS = 10;

    private final ExecutorService encoding =
            pool("weir-http-encode", Runtime.getRuntime().availableProcessors());
    private final ExecutorService disk = pool("weir-http-disk", DISK_THREADS);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, threads("weir-http-timer"));
    private final BufferAllocator allocator = new RootAllocator();
    private final AsyncQueries asyncQueries;
    private final RouterFunction<ServerResponse> routes;
    private final SecurityProblems security = new SecurityProblems();
    private final Problems problems = new Problems();

    /**
     * @param queries runs the queries
     * @param drains takes the gateway out of service and back
     * @param clock for the life of spooled results
     * @throws java.io.UncheckedIOException when the directory of results cannot be made or cleaned
     */
    public HttpFront(QueryService queries, DrainControl drains, HttpFrontSettings settings, InstantSource clock) {
        this(queries, drains, settings, clock, Spool.diskOf(settings.resultsDirectory()));
    }

    HttpFront(
            QueryService queries,
            DrainControl drains,
            HttpFrontSettings settings,
            InstantSource clock,
            FreeDisk freeDisk) {
        this.asyncQueries = new AsyncQueries(new Spool(settings, freeDisk), settings.resultsTimeToLive(), clock, disk);
        timer.setRemoveOnCancelPolicy(true);
        Answers answers = new Answers(encoding, allocator);
        RequestBody bodies = new RequestBody(settings.maxBodySize());
        PartitionedQueries partitioned = new PartitionedQueries(settings.maxPartitions(), allocator);
        SubmitHandler submit = new SubmitHandler(queries, asyncQueries, partitioned, answers, bodies, allocator, timer);
        SpoolReaders readers =
                new SpoolReaders(allocator, disk, timer, settings.clientStallTimeout(), MAX_SPOOL_READERS);
        this.routes = routes(submit, new QueryHandler(queries, asyncQueries, partitioned, answers, readers))
                .and(routes(new AdmissionHandler(queries.admission(), bodies, disk)))
                .and(new DrainHandler(drains).route())
                .and(new Resource(Addresses.ROWS)
                        .on(HttpMethod.POST, new IngestHandler(queries)::load)
                        .route());
        long sweep = Math.max(
                SHORTEST_SWEEP.toMillis(),
                Math.min(LONGEST_SWEEP.toMillis(), settings.resultsTimeToLive().toMillis() / 4));
        timer.scheduleWithFixedDelay(this::sweep, sweep, sweep, TimeUnit.MILLISECONDS);
    }

    private static RouterFunction<ServerResponse> routes(SubmitHandler submit, QueryHandler queries) {
        return new Resource(Addresses.QUERIES)
                .on(HttpMethod.POST, submit::submit)
                .on(HttpMethod.GET, queries::list)
                .on(HttpMethod.HEAD, queries::list)
                .route()
                .and(new Resource(Addresses.QUERY)
                        .on(HttpMethod.GET, queries::status)
                        .on(HttpMethod.HEAD, queries::status)
                        .on(HttpMethod.DELETE, queries::cancel)
                        .route())
                .and(new Resource(Addresses.RESULT)
                        .on(HttpMethod.GET, queries::result)
                        .on(HttpMethod.HEAD, queries::resultHead)
                        .route());
    }

    private static RouterFunction<ServerResponse> routes(AdmissionHandler admission) {
        return new Resource(Addresses.WORKERS)
                .on(HttpMethod.GET, admission::workers)
                .on(HttpMethod.HEAD, admission::workers)
                .route()
                .and(routesOfAdmission(admission));
    }

    private static RouterFunction<ServerResponse> routesOfAdmission(AdmissionHandler admission) {
        return new Resource(Addresses.ADMISSION)
                .on(HttpMethod.GET, admission::state)
                .on(HttpMethod.HEAD, admission::state)
                .route()
                .and(new Resource(Addresses.ADMISSION_HISTORY)
                        .on(HttpMethod.GET, admission::history)
                        .on(HttpMethod.HEAD, admission::history)
                        .route())
                .and(new Resource(Addresses.ADMISSION_EXPLAIN)
                        .on(HttpMethod.POST, admission::explain)
                        .route())
                .and(new Resource(Addresses.ADMISSION_LIMITS)
                        .on(HttpMethod.GET, admission::limits)
                        .on(HttpMethod.HEAD, admission::limits)
                        .on(HttpMethod.PUT, admission::change)
                        .route());
    }

    /** Everything under /v1. */
    public RouterFunction<ServerResponse> routes() {
        return routes;
    }

    /** Turns failures into problem+json; its order puts it before the framework's own handlers. */
    public WebExceptionHandler exceptionHandler() {
        return problems;
    }

    /** How a 401 looks. */
    public ServerAuthenticationEntryPoint authenticationEntryPoint() {
        return security;
    }

    /** How a 403 looks. */
    public ServerAccessDeniedHandler accessDeniedHandler() {
        return security;
    }

    /** How a request looks that is refused for its method or address before it is anybody's. */
    public ServerExchangeRejectedHandler rejectedHandler() {
        return security;
    }

    /** The server, set up so that what it refuses by itself, as no HTTP, is answered like every other failure. */
    public static HttpServer customize(HttpServer server) {
        return TransportProblems.on(server);
    }

    /** Deletes results whose time is over; runs by itself. */
    void sweep() {
        try {
            asyncQueries.sweep();
        } catch (RuntimeException e) {
            log.error("Spooled results could not be swept", e);
        }
    }

    /** Deletes the spooled results, which nobody could ask for any more, and ends the threads. */
    @Override
    public void close() {
        timer.shutdownNow();
        end(encoding);
        asyncQueries.close();
        end(disk);
        allocator.close();
    }

    private static void end(ExecutorService pool) {
        pool.shutdown();
        try {
            if (!pool.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                log.warn("Threads of the HTTP front did not end within {} s", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ExecutorService pool(String name, int size) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), threads(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger number = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
