package dev.weir.gateway.flightsql;

import java.util.Objects;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Key material of the server.
 *
 * @param keys asked at each handshake, so that a renewed certificate is used without a restart
 * @param clientAuthorities accepts client certificates as identities; null when they are not asked for
 */
public record FlightTls(
        X509ExtendedKeyManager keys, @Nullable X509TrustManager clientAuthorities) {

    public FlightTls {
        Objects.requireNonNull(keys);
    }
}
