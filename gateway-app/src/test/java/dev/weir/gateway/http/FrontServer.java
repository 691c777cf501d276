package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.awaitility.Awaitility;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.server.reactive.HttpHandler;
import org.springframework.http.server.reactive.ReactorHttpHandlerAdapter;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.util.unit.DataSize;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.server.adapter.WebHttpHandlerBuilder;
import reactor.core.publisher.Mono;
import reactor.netty.DisposableServer;
import reactor.netty.http.server.HttpServer;

/** The front on a real server and port; the user is named by the header X-User, and "root" is an administrator. */
final class FrontServer implements AutoCloseable {

    static {
        // Bounds for machines that are busy with other things; nothing here waits for them to pass.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    final FakeQueryService queries = new FakeQueryService();
    final FakeDrains drains = new FakeDrains();
    final BufferAllocator allocator = new RootAllocator();
    final HttpFront front;
    final Path results;
    final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
    final AtomicLong freeDisk = new AtomicLong(Long.MAX_VALUE);
    final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final DisposableServer server;

    /** The framework's own beans. */
    @Configuration
    @EnableWebFlux
    static class WebFlux {}

    FrontServer() {
        this(DataSize.ofMegabytes(4));
    }

    FrontServer(DataSize maxBodySize) {
        this(maxBodySize, DataSize.ofMegabytes(1), Duration.ofMinutes(1));
    }

    FrontServer(DataSize maxBodySize, DataSize maxResultBytesPerUser, Duration clientStallTimeout) {
        try {
            results = Files.createTempDirectory("weir-results-test").resolve("results");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        HttpFrontSettings settings = new HttpFrontSettings(
                maxBodySize,
                results,
                Duration.ofHours(1),
                maxResultBytesPerUser,
                DataSize.ofMegabytes(100),
                32,
                clientStallTimeout);
        front = new HttpFront(queries, drains, settings, () -> now.get(), freeDisk::get);
        context.register(WebFlux.class);
        context.registerBean("routes", RouterFunction.class, front::routes);
        context.registerBean("problems", WebExceptionHandler.class, front::exceptionHandler);
        context.registerBean("security", WebFilter.class, () -> this::authenticate);
        context.refresh();
        HttpHandler handler = WebHttpHandlerBuilder.applicationContext(context).build();
        server = HttpFront.customize(HttpServer.create())
                .host("127.0.0.1")
                .port(0)
                .handle(new ReactorHttpHandlerAdapter(handler))
                .bindNow(Duration.ofSeconds(10));
    }

    private Mono<Void> authenticate(ServerWebExchange exchange, WebFilterChain chain) {
        String user = exchange.getRequest().getHeaders().getFirst("X-User");
        if (user == null) {
            return front.authenticationEntryPoint()
                    .commence(exchange, new AuthenticationCredentialsNotFoundException("none"));
        }
        if (user.equals("denied")) {
            return front.accessDeniedHandler().handle(exchange, new AccessDeniedException("no"));
        }
        Identity identity = new Identity(user, List.of(), user.equals("root") ? Role.ADMIN : Role.WRITER);
        return chain.filter(exchange.mutate()
                .principal(Mono.just(new TestingAuthenticationToken(identity, "")))
                .build());
    }

    int port() {
        return server.port();
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(uri(path)).header("X-User", "ada").timeout(Duration.ofSeconds(60));
    }

    HttpResponse<byte[]> post(String sql, String accept, String... headers) {
        HttpRequest.Builder request =
                request("/v1/queries").header("Accept", accept).POST(HttpRequest.BodyPublishers.ofString(sql));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    HttpResponse<byte[]> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.disposeNow(Duration.ofSeconds(10));
        context.close();
        front.close();
        // Fails when anything of a test's results was not given back.
        allocator.close();
    }
}
