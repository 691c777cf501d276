package dev.weir.gateway.http;

import dev.weir.gateway.query.QueryService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.http.HttpMethod;
import org.springframework.security.web.server.ServerAuthenticationEntryPoint;
import org.springframework.security.web.server.authorization.ServerAccessDeniedHandler;
import org.springframework.util.unit.DataSize;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.WebExceptionHandler;

/** The HTTP front, put together. Close it after the server. */
public final class HttpFront implements AutoCloseable {

    private final ExecutorService encoding =
            pool("weir-http-encode", Runtime.getRuntime().availableProcessors());
    private final BufferAllocator allocator;
    private final RouterFunction<ServerResponse> routes;
    private final SecurityProblems security = new SecurityProblems();
    private final Problems problems = new Problems();

    /**
     * @param queries runs the queries
     * @param maxBodySize largest request body
     * @param parent of this front's own Arrow memory
     */
    public HttpFront(QueryService queries, DataSize maxBodySize, BufferAllocator parent) {
        this.allocator = parent.newChildAllocator("http", 0, Long.MAX_VALUE);
        QueryHandler handler =
                new QueryHandler(queries, new Answers(encoding), new RequestBody(maxBodySize), allocator);
        this.routes = new Resource("/v1/queries")
                .on(HttpMethod.POST, handler::submit)
                .route()
                .and(new Resource("/v1/queries/{id}")
                        .on(HttpMethod.GET, handler::status)
                        .on(HttpMethod.HEAD, handler::status)
                        .on(HttpMethod.DELETE, handler::cancel)
                        .route());
    }

    /** Everything under /v1/queries. */
    public RouterFunction<ServerResponse> routes() {
        return routes;
    }

    /** Turns failures into problem+json; to be asked before the framework's own handlers. */
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

    @Override
    public void close() {
        encoding.shutdown();
        allocator.close();
    }

    private static ExecutorService pool(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(threads, threads, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
