package dev.weir.auth.tls;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Where certificates and keys come from.
 *
 * @param dataDir a self-signed certificate is made in its directory {@code tls} when none is configured
 * @param certificate PEM file with the certificate chain, the server's own first (weir.tls.certificate)
 * @param privateKey PEM file with the key of the certificate, RSA or EC, not encrypted (weir.tls.private-key)
 * @param clientCa PEM file with the authorities of client certificates, or null to ask for none (weir.tls.client-ca)
 */
public record TlsSettings(
        Path dataDir,
        @Nullable Path certificate,
        @Nullable Path privateKey,
        @Nullable Path clientCa) {

    static final String CERTIFICATE = "weir.tls.certificate";
    static final String PRIVATE_KEY = "weir.tls.private-key";
    static final String CLIENT_CA = "weir.tls.client-ca";

    /** @throws TlsException when one of certificate and key is given without the other */
    public TlsSettings {
        if (certificate != null && privateKey == null) {
            throw new TlsException(PRIVATE_KEY + ": must be given together with " + CERTIFICATE);
        }
        if (privateKey != null && certificate == null) {
            throw new TlsException(CERTIFICATE + ": must be given together with " + PRIVATE_KEY);
        }
    }
}
