package dev.weir.gateway.cli.query;

import com.google.errorprone.annotations.Var;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.net.http.HttpConnectTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import javax.net.ssl.SSLException;

/** Why there was no answer, for the user. */
final class Unreachable {

    static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

    private Unreachable() {}

    static String text(Target target, Throwable error) {
        for (@Var Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return tlsFault(target, cause);
            }
            if (cause instanceof UnknownHostException || cause instanceof UnresolvedAddressException) {
                return "there is no host " + target.host();
            }
            if (cause instanceof HttpConnectTimeoutException) {
                return "no answer from " + target.base() + " within " + CONNECT_TIMEOUT.toSeconds() + " s";
            }
            if (cause instanceof ConnectException) {
                return "cannot connect to " + target.base() + "; is the gateway running there?";
            }
        }
        return "the connection to " + target.base() + " broke before an answer came"
                + (target.isEncrypted() ? "" : "; the gateway may want " + target.encryptedScheme());
    }

    private static String tlsFault(Target target, Throwable fault) {
        for (@Var Throwable cause = fault; cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause.getMessage());
            if (text.contains("PKIX") || text.contains("No subject alternative") || text.contains("No name matching")) {
                return "the certificate of " + target.host()
                        + " is not trusted: give its authority by --ca FILE, or --insecure to skip the check";
            }
        }
        return "no TLS connection to " + target.base() + ": " + fault.getMessage();
    }
}
