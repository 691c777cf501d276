package dev.weir.gateway.cli.query;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Whom the client trusts. */
public final class ClientTls {

    private ClientTls() {}

    /** The authorities that Java comes with. */
    public static SSLContext standard() throws QueryFailure {
        try {
            return SSLContext.getDefault();
        } catch (GeneralSecurityException e) {
            throw new QueryFailure("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** Only the certificates of a PEM file; the host name is checked too. */
    public static SSLContext trusting(Path pem) throws QueryFailure {
        try (InputStream in = Files.newInputStream(pem)) {
            Collection<? extends Certificate> certificates =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (certificates.isEmpty()) {
                throw new QueryFailure("there is no certificate in " + pem);
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int number = 0;
            for (Certificate certificate : certificates) {
                store.setCertificateEntry("ca-" + number++, certificate);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            return context(factory.getTrustManagers());
        } catch (IOException e) {
            throw new QueryFailure("cannot read the certificates in " + pem + ": " + e.getMessage(), e);
        } catch (GeneralSecurityException e) {
            throw new QueryFailure("no PEM certificates: " + pem, e);
        }
    }

    /** Anybody: for a user who said so. */
    public static SSLContext insecure() throws QueryFailure {
        try {
            return context(new TrustManager[] {new TrustAll()});
        } catch (GeneralSecurityException e) {
            throw new QueryFailure("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    private static SSLContext context(TrustManager[] trust) throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust, new SecureRandom());
        return context;
    }

    /** The extended kind, as only that one also answers for the host name. */
    private static final class TrustAll extends X509ExtendedTrustManager {

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
