package dev.weir.gateway.flightsql;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.AuthorizationHeader;
import dev.weir.auth.Credentials;
import dev.weir.auth.tls.ClientCertificates;
import io.grpc.Attributes;
import io.grpc.Grpc;
import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.apache.arrow.flight.auth.AuthConstants;
import org.jspecify.annotations.Nullable;

/** Reads the credentials that come with a call: {@code authorization}, the older handshake's token, a certificate. */
final class CallCredentials {

    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private CallCredentials() {}

    /**
     * @return null when the call brings none
     * @throws AuthenticationFailedException when they cannot be read
     */
    static @Nullable Credentials of(Metadata headers, Attributes attributes) {
        String authorization = headers.get(AUTHORIZATION);
        if (authorization != null) {
            return AuthorizationHeader.parse(authorization);
        }
        byte[] token = headers.get(AuthConstants.TOKEN_KEY);
        if (token != null) {
            return new Credentials.Bearer(new String(token, StandardCharsets.UTF_8));
        }
        SSLSession tls = attributes.get(Grpc.TRANSPORT_ATTR_SSL_SESSION);
        return tls == null ? null : certificate(tls);
    }

    /** Refuses what cannot be right, so that a missing password fails at connect with its reason. */
    static Credentials.Password password(String user, String password) {
        if (user.isEmpty() || password.isEmpty()) {
            throw new AuthenticationFailedException(Reason.MISSING, "A user name and a password are needed.");
        }
        return new Credentials.Password(user, password);
    }

    private static @Nullable Credentials certificate(SSLSession tls) {
        try {
            Certificate[] chain = tls.getPeerCertificates();
            if (chain.length == 0 || !(chain[0] instanceof X509Certificate subject)) {
                return null;
            }
            String name = ClientCertificates.commonName(subject);
            return name == null ? null : new Credentials.ClientCertificate(name);
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }
}
