package dev.weir.bench;

import dev.weir.auth.Authenticator;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.remote.RemoteEngine;
import dev.weir.engine.remote.RemoteSettings;
import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.RunningGateway;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.X509TrustManager;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.context.ApplicationListener;

/**
 * A gateway before one worker, which relays or, for statements that {@link DecodingEngine} marks, decodes; and beside it,
 * in the same process and with the same TLS and authenticator, a relay that only moves messages.
 *
 * <p>Arguments: port of the bare relay, data directory, port of the worker, port of its plain Flight server, file of the
 * secret, directory of the scanner, then properties of the gateway.
 */
public final class RelayServer {

    private RelayServer() {}

    public static void main(String[] args) throws Exception {
        Path dataDir = Path.of(args[1]);
        Path certificate = dataDir.resolve("tls").resolve("cert.pem");
        X509TrustManager trust = Clients.trusting(certificate);
        // Of the statement's text alone; the database is the worker's.
        DuckDbEngine scanner = DuckDbEngine.open(RelayWorker.settings(null, Path.of(args[5])));
        QueryEngine engine = new DecodingEngine(new RemoteEngine(
                new RemoteSettings(
                        "bench",
                        "localhost",
                        Integer.parseInt(args[2]),
                        trust,
                        Files.readAllBytes(Path.of(args[4])),
                        Duration.ofSeconds(5),
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(6)),
                scanner.info(),
                scanner::scan));
        RunningGateway gateway =
                GatewayApplication.start(List.of(args).subList(6, args.length), List.of(instead(engine)));
        gateway.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
        BareRelay bare = BareRelay.start(
                Integer.parseInt(args[0]),
                Integer.parseInt(args[3]),
                gateway.context().getBean(TlsMaterial.class),
                trust,
                gateway.context().getBean(Authenticator.class));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            bare.close();
            gateway.close();
            engine.close();
            scanner.close();
        }));
        System.out.println("ready");
        Thread.currentThread().join();
    }

    /** Puts an engine in the place of the configured one. */
    private static ApplicationListener<ApplicationPreparedEvent> instead(QueryEngine engine) {
        return event -> event.getApplicationContext().addBeanFactoryPostProcessor(beans -> {
            ((BeanDefinitionRegistry) beans).removeBeanDefinition("queryEngine");
            beans.registerSingleton("queryEngine", engine);
        });
    }
}
