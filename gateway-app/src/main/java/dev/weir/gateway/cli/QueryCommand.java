package dev.weir.gateway.cli;

import dev.weir.gateway.cli.query.ClientTls;
import dev.weir.gateway.cli.query.FlightQueryClient;
import dev.weir.gateway.cli.query.GatewayClient;
import dev.weir.gateway.cli.query.QueryClient;
import dev.weir.gateway.cli.query.QueryFailure;
import dev.weir.gateway.cli.query.QueryRun;
import dev.weir.gateway.cli.query.ResultFormat;
import dev.weir.gateway.cli.query.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code weir query}: runs one statement over HTTP or Flight SQL and prints its result. */
@Command(
        name = "query",
        description = "Run a statement on a gateway and print its result.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "The password comes from -u, else WEIR_PASSWORD, else it is asked for. Ctrl-C cancels the query",
            "on the gateway. On the gateway's own machine its self-signed certificate (tls/cert.pem in the",
            "data directory, ./data or WEIR_DATA_DIR) is trusted.",
            "",
            "  weir query 'select count(*) from lineitem'",
            "  weir query --format csv --output nation.csv 'from nation'",
            "  weir query --param 42 --param x 'select ? + 1, ?'",
            "  weir query --flight 'select count(*) from lineitem'"
        })
final class QueryCommand implements Callable<Integer> {

    static final String DEFAULT_URL = "https://localhost:8080";
    static final String DEFAULT_FLIGHT_URL = "grpc+tls://localhost:31337";
    static final String DEFAULT_USER = "admin";

    private final CliContext context;

    @Parameters(arity = "0..1", paramLabel = "SQL", description = "The statement; - reads it from standard input.")
    private @Nullable String sql;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Read the statement from a file.")
    private @Nullable Path file;

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = {
                "The gateway; WEIR_URL or " + DEFAULT_URL + " when not given,",
                "with --flight WEIR_FLIGHT_URL or " + DEFAULT_FLIGHT_URL + "."
            })
    private @Nullable String url;

    @Option(names = "--flight", description = "Ask over Flight SQL, not over HTTP.")
    private boolean flight;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER[:PASSWORD]",
            description = "Who asks; WEIR_USER or " + DEFAULT_USER + " when not given.")
    private @Nullable String user;

    @Option(names = "--ca", paramLabel = "FILE", description = "Trust the certificates of this PEM file alone.")
    private @Nullable Path ca;

    @Option(names = "--insecure", description = "Do not check the certificate; allow plaintext to other machines.")
    private boolean insecure;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} when not given.")
    private ResultFormat format = ResultFormat.table;

    @Option(
            names = "--param",
            paramLabel = "VALUE",
            description = {
                "Value of the next parameter (?). A JSON number, true, false or null is meant",
                "as such, anything else as text; '\"42\"' is the text 42."
            })
    private List<String> parameters = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Stop the query after this time, for example 500ms, 30s or 5m.")
    private @Nullable Duration timeout;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write the result to a file; it appears when it is complete.")
    private @Nullable Path output;

    @Option(
            names = "--max-width",
            paramLabel = "N",
            defaultValue = "80",
            description = "Cut values in tables to this width, 0 for whole; ${DEFAULT-VALUE} when not given.")
    private int maxWidth = 80;

    @Mixin
    private Verbosity verbosity = new Verbosity();

    QueryCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        String statement = new StatementSource(context).read(sql, file);
        if (format.isBinary() && output == null && Boolean.getBoolean("weir.terminal.out")) {
            throw CommandFailure.usage("--format arrow is binary: give --output FILE or send it to a pipe");
        }
        Target target = target();
        try (QueryClient client = client(target)) {
            QueryClient.Query query =
                    new QueryClient.Query(statement, ParameterValue.parseAll(parameters), format.mediaType(), timeout);
            return new QueryRun(client, query, format, maxWidth, context.err()).run(context.out(), output);
        } catch (QueryFailure e) {
            throw CommandFailure.failure(e.text(), e);
        }
    }

    private Target target() {
        String given = flight
                ? firstNonNull(url, context.variable("WEIR_FLIGHT_URL"), DEFAULT_FLIGHT_URL)
                : firstNonNull(url, context.variable("WEIR_URL"), DEFAULT_URL);
        try {
            Target target = flight ? Target.parseFlight(given) : Target.parse(given);
            if (!target.isEncrypted() && !target.isLoopback() && !insecure) {
                throw CommandFailure.usage((flight
                                ? "grpc:// would send the password in the clear: use grpc+tls://"
                                : "http:// would send the password in the clear: use https://")
                        + ", or --insecure if that is all right");
            }
            return target;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--url: " + e.getMessage());
        }
    }

    private QueryClient client(Target target) throws QueryFailure {
        PasswordSource.UserAndPassword given =
                PasswordSource.split(firstNonNull(user, context.variable("WEIR_USER"), DEFAULT_USER));
        String password = given.password() != null
                ? given.password()
                : new PasswordSource(context, "WEIR_PASSWORD").existing("Password of " + given.user());
        Path trusted = trusted(target);
        return flight
                ? new FlightQueryClient(target, given.user(), password, trusted, insecure)
                : new GatewayClient(target, given.user(), password, tls(trusted));
    }

    private SSLContext tls(@Nullable Path trusted) throws QueryFailure {
        if (insecure) {
            return ClientTls.insecure();
        }
        return trusted == null ? ClientTls.standard() : ClientTls.trusting(trusted);
    }

    /** The certificates to trust; null for those that Java trusts. */
    private @Nullable Path trusted(Target target) {
        if (ca != null) {
            return ca;
        }
        Path own = Path.of(firstNonNull(context.variable("WEIR_DATA_DIR"), context.variable("WEIR_DATADIR"), "./data"))
                .resolve("tls")
                .resolve("cert.pem");
        boolean usable = target.isEncrypted() && target.isLoopback() && Files.isReadable(own);
        return usable ? own : null;
    }

    private static String firstNonNull(@Nullable String... values) {
        return Stream.of(values).filter(value -> value != null).findFirst().orElseThrow();
    }
}
