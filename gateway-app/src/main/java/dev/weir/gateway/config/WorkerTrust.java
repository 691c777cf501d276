package dev.weir.gateway.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Whom a gateway believes about its workers' certificates. */
final class WorkerTrust {

    private WorkerTrust() {}

    /**
     * @param property names the file in a fault
     * @param ca PEM file of authorities; null for those that this Java trusts
     */
    static TrustManager of(String property, @Nullable Path ca) {
        try {
            TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(ca == null ? null : store(property, ca));
            return factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw new StartFailedException(property + " holds no certificates that can be used", e);
        } catch (IOException e) {
            throw new StartFailedException(property + " names a file that cannot be read", e);
        }
    }

    private static KeyStore store(String property, Path ca) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        Collection<? extends Certificate> certificates;
        try (InputStream in = Files.newInputStream(ca)) {
            certificates = CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
        if (certificates.isEmpty()) {
            throw new StartFailedException(property + " holds no certificate");
        }
        int number = 0;
        for (Certificate certificate : certificates) {
            store.setCertificateEntry("ca" + number++, certificate);
        }
        return store;
    }
}
