package dev.weir.bench;

import dev.weir.auth.Authenticator;
import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.RunningGateway;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.http.MediaType;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;

/**
 * A gateway with two things added to compare it with: a route of the same HTTP server, behind the same TLS and security
 * chain, and a Flight server with the same certificate and authenticator, which both answer a constant.
 *
 * <p>Arguments: port of the bare Flight server, data directory, then properties of the gateway.
 */
public final class BenchServer {

    /** The bare HTTP route. */
    static final String BARE_PATH = "/bench/bare";

    /** What the gateway answers to {@code select 1}, near enough. */
    private static final String CONSTANT = "{\"queryId\":\"00000000000000000000000000\",\"columns\":[{\"name\":\"1\","
            + "\"type\":\"INTEGER\",\"nullable\":true}],\"data\":[[1]],\"rowCount\":1,\"truncated\":false}\n";

    private BenchServer() {}

    public static void main(String[] args) throws Exception {
        int barePort = Integer.parseInt(args[0]);
        Path dataDir = Path.of(args[1]);
        List<String> properties = List.of(args).subList(2, args.length);
        ApplicationListener<ApplicationPreparedEvent> addRoute =
                event -> event.getApplicationContext().getBeanFactory().registerSingleton("bareRoute", bareRoute());
        RunningGateway gateway = GatewayApplication.start(properties, List.of(addRoute));
        gateway.ready().toCompletableFuture().join();
        BareFlightServer bare =
                BareFlightServer.start(barePort, dataDir, gateway.context().getBean(Authenticator.class));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            bare.close();
            gateway.close();
        }));
        System.out.println("ready");
        Thread.currentThread().join();
    }

    private static RouterFunction<ServerResponse> bareRoute() {
        return RouterFunctions.route()
                .POST(
                        BARE_PATH,
                        request -> request.bodyToMono(String.class)
                                .then(ServerResponse.ok()
                                        .contentType(MediaType.APPLICATION_JSON)
                                        .bodyValue(CONSTANT)))
                .build();
    }
}
