package dev.weir.gateway.cli;

import dev.weir.gateway.cli.query.ClientTls;
import dev.weir.gateway.cli.query.QueryFailure;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code weir health}: whether the gateway or worker of this machine takes queries. */
@Command(
        name = "health",
        description = "Tell whether the gateway or worker on this machine takes queries.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "Asks the management port of loopback, over HTTP or TLS, whichever it speaks. Exit code 0 when it is",
            "ready, 1 when it is not or cannot be reached. Made for health checks of containers."
        })
final class HealthCommand implements Callable<Integer> {

    private static final String PATH = "/actuator/health/readiness";
    private static final String PORT_VARIABLE = "WEIR_MANAGEMENT_PORT";
    private static final int DEFAULT_PORT = 9090;

    private final CliContext context;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The management port; by default WEIR_MANAGEMENT_PORT, else 9090.")
    private @Nullable Integer port;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "5s",
            converter = DurationConverter.class,
            description = "Longest time for the answer (${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init") // has a default
    private Duration timeout;

    @Mixin
    private Verbosity verbosity = new Verbosity();

    HealthCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        int asked = askedPort();
        int status = status(asked);
        if (status == 200) {
            context.err().println("ready");
            return ExitCode.OK;
        }
        throw CommandFailure.failure("not ready: the management port " + asked + " answers " + status);
    }

    private int askedPort() {
        if (port != null) {
            return port;
        }
        String given = context.variable(PORT_VARIABLE);
        try {
            return given == null ? DEFAULT_PORT : Integer.parseInt(given.strip());
        } catch (NumberFormatException e) {
            throw CommandFailure.failure(PORT_VARIABLE + " is no number: " + given, e);
        }
    }

    /** A port that speaks TLS answers a plain request with no HTTP, or with 400. */
    private int status(int asked) throws InterruptedException {
        IOException first;
        try {
            int status = ask("http", asked);
            if (status != 400) {
                return status;
            }
            first = new IOException("HTTP status 400");
        } catch (IOException e) {
            first = e;
        }
        try {
            return ask("https", asked);
        } catch (IOException e) {
            e.addSuppressed(first);
            throw CommandFailure.failure("not ready: nothing answers at the management port " + asked, e);
        }
    }

    /** The certificate is not verified: on loopback it proves nothing, and its name is another. */
    private int ask(String scheme, int asked) throws IOException, InterruptedException {
        HttpClient.Builder client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(timeout);
        if (scheme.equals("https")) {
            try {
                client.sslContext(ClientTls.insecure());
            } catch (QueryFailure e) {
                throw new IOException(e.getMessage(), e);
            }
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(scheme + "://127.0.0.1:" + asked + PATH))
                .timeout(timeout)
                .build();
        return client.build()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
