package dev.weir.gateway.cli;

import dev.weir.gateway.cli.query.ClientTls;
import dev.weir.gateway.cli.query.GatewayClient;
import dev.weir.gateway.cli.query.QueryFailure;
import dev.weir.gateway.cli.query.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which gateway a command talks to, as whom, and what it trusts. */
final class GatewayOptions {

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The gateway; WEIR_URL or " + QueryCommand.DEFAULT_URL + " when not given.")
    private @Nullable String url;

    @Option(
            names = {"-u", "--user"},
            paramLabel = "USER[:PASSWORD]",
            description = "Who asks; WEIR_USER or " + QueryCommand.DEFAULT_USER + " when not given.")
    private @Nullable String user;

    @Option(names = "--ca", paramLabel = "FILE", description = "Trust the certificates of this PEM file alone.")
    private @Nullable Path ca;

    @Option(names = "--insecure", description = "Do not check the certificate; allow http:// to other machines.")
    private boolean insecure;

    /** A client; asks for the password when it was not given. */
    GatewayClient client(CliContext context) throws QueryFailure {
        Target target = target(context);
        PasswordSource.UserAndPassword given =
                PasswordSource.split(first(user, context.variable("WEIR_USER"), QueryCommand.DEFAULT_USER));
        String password = given.password() != null
                ? given.password()
                : new PasswordSource(context, "WEIR_PASSWORD").existing("Password of " + given.user());
        return new GatewayClient(target, given.user(), password, tls(context, target));
    }

    private Target target(CliContext context) {
        String given = first(url, context.variable("WEIR_URL"), QueryCommand.DEFAULT_URL);
        try {
            Target target = Target.parse(given);
            if (!target.isEncrypted() && !target.isLoopback() && !insecure) {
                throw CommandFailure.usage(
                        "http:// would send the password in the clear: use https://, or --insecure if that is all right");
            }
            return target;
        } catch (IllegalArgumentException e) {
            throw CommandFailure.usage("--url: " + e.getMessage());
        }
    }

    private SSLContext tls(CliContext context, Target target) throws QueryFailure {
        if (insecure) {
            return ClientTls.insecure();
        }
        if (ca != null) {
            return ClientTls.trusting(ca);
        }
        Path own = Path.of(first(context.variable("WEIR_DATA_DIR"), context.variable("WEIR_DATADIR"), "./data"))
                .resolve("tls")
                .resolve("cert.pem");
        boolean usable = target.isEncrypted() && target.isLoopback() && Files.isReadable(own);
        return usable ? ClientTls.trusting(own) : ClientTls.standard();
    }

    private static String first(@Nullable String... values) {
        return Stream.of(values).filter(value -> value != null).findFirst().orElseThrow();
    }
}
