package dev.weir.gateway.system;

import dev.weir.auth.Role;
import dev.weir.auth.user.UserStore;
import dev.weir.engine.QueryEngine;
import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.RunningGateway;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.memory.BufferAllocator;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.context.ApplicationListener;

/** A whole gateway on free ports, with TLS, and clients that verify its self-signed certificate. */
final class TestGateway implements AutoCloseable {

    static final String READER = "reader";
    static final String WRITER = "writer";
    static final String ADMIN = "admin";

    /** Of every test user; one hash each is enough work. */
    static final String PASSWORD = "correct horse";

    /** The test users, made once: each costs a hash. */
    private static final class Users {

        static final Path FILE = make();

        private static Path make() {
            try {
                Path file =
                        Files.createTempDirectory(Path.of("target"), "users-").resolve("users.yaml");
                UserStore users = UserStore.openOrCreate(file, Clock.systemUTC());
                users.add(READER, PASSWORD, Role.READER, List.of("readers"));
                users.add(WRITER, PASSWORD, Role.WRITER, List.of());
                users.add(ADMIN, PASSWORD, Role.ADMIN, List.of());
                return file;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Path dataDir;
    private final RunningGateway gateway;
    private final HttpClient client;

    private TestGateway(Path dataDir, RunningGateway gateway) throws Exception {
        this.dataDir = dataDir;
        this.gateway = gateway;
        this.client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(Duration.ofSeconds(5))
                .sslContext(trusting(dataDir.resolve("tls").resolve("cert.pem")))
                .build();
    }

    /** Starts one with the users reader, writer and admin and waits until it is ready. */
    static TestGateway start(Path dataDir, String... properties) throws Exception {
        return start(dataDir, List.of(), properties);
    }

    /** Starts one over an engine of the test's, which the gateway does not close. */
    static TestGateway over(QueryEngine engine, Path dataDir, String... properties) throws Exception {
        ApplicationListener<ApplicationPreparedEvent> instead =
                event -> event.getApplicationContext().addBeanFactoryPostProcessor(beans -> {
                    ((BeanDefinitionRegistry) beans).removeBeanDefinition("queryEngine");
                    beans.registerSingleton("queryEngine", engine);
                });
        return start(dataDir, List.of(instead), properties);
    }

    private static TestGateway start(Path dataDir, List<ApplicationListener<?>> listeners, String... properties)
            throws Exception {
        Path users = dataDir.resolve("users.yaml");
        if (Files.notExists(users)) {
            Files.createDirectories(dataDir);
            Files.copy(Users.FILE, users, StandardCopyOption.COPY_ATTRIBUTES);
        }
        RunningGateway gateway = GatewayApplication.start(arguments(dataDir, properties), listeners);
        try {
            TestGateway started = new TestGateway(dataDir, gateway);
            gateway.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
            return started;
        } catch (Exception e) {
            gateway.close();
            throw e;
        }
    }

    static List<String> arguments(Path dataDir, String... properties) {
        Map<String, String> arguments = new LinkedHashMap<>();
        arguments.put("--weir.data-dir", dataDir.toString());
        arguments.put("--weir.http.port", "0");
        arguments.put("--weir.flight.port", "0");
        arguments.put("--weir.management.port", "0");
        arguments.put("--weir.admission.memory.budget", "1GB");
        for (String property : properties) {
            int equals = property.indexOf('=');
            arguments.put(property.substring(0, equals), property.substring(equals + 1));
        }
        List<String> joined = new ArrayList<>();
        arguments.forEach((name, value) -> joined.add(name + "=" + value));
        return joined;
    }

    private static SSLContext trusting(Path certificate) throws Exception {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "weir", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    RunningGateway running() {
        return gateway;
    }

    <T> T bean(Class<T> type) {
        return gateway.context().getBean(type);
    }

    HttpClient client() {
        return client;
    }

    URI uri(String path) {
        return URI.create("https://localhost:" + gateway.connect().httpPort() + path);
    }

    URI managementUri(String path) {
        return URI.create(gateway.connect().managementUrl() + path);
    }

    int httpPort() {
        return gateway.connect().httpPort();
    }

    int flightPort() {
        return gateway.connect().flightPort();
    }

    /** Where a test waits beside itself: not the common pool, which has one thread on two cores and answers HTTP clients. */
    static void onThread(Runnable task) {
        Thread thread = new Thread(task, "beside-the-test");
        thread.setDaemon(true);
        thread.start();
    }

    static String basic(String user, String password) {
        byte[] pair = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
        return "Basic " + Base64.getEncoder().encodeToString(pair);
    }

    HttpRequest.Builder request(String user, String path) {
        return HttpRequest.newBuilder(uri(path))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", basic(user, PASSWORD));
    }

    HttpResponse<String> sql(String user, String accept, String sql) throws IOException, InterruptedException {
        return client.send(
                request(user, "/v1/queries")
                        .header("Accept", accept)
                        .POST(HttpRequest.BodyPublishers.ofString(sql))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<InputStream> stream(String user, String accept, String sql) throws IOException, InterruptedException {
        return client.send(
                request(user, "/v1/queries")
                        .header("Accept", accept)
                        .POST(HttpRequest.BodyPublishers.ofString(sql))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String user, String path) throws IOException, InterruptedException {
        return client.send(request(user, path).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    FlightClient flight(BufferAllocator allocator) throws IOException {
        Location location = Location.forGrpcTls("localhost", gateway.connect().flightPort());
        try (InputStream certificate =
                Files.newInputStream(dataDir.resolve("tls").resolve("cert.pem"))) {
            return FlightClient.builder(allocator, location)
                    .trustedCertificates(certificate)
                    .build();
        }
    }

    @Override
    public void close() {
        gateway.close();
    }
}
