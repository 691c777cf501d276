package dev.weir.clients;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** HTTPS with the gateway's certificate as the only authority. */
final class Http {

    private final Gateway gateway;
    private final HttpClient client;

    Http(Gateway gateway) throws GeneralSecurityException, IOException {
        this.gateway = gateway;
        this.client = HttpClient.newBuilder().sslContext(trusting(gateway)).build();
    }

    HttpClient client() {
        return client;
    }

    private static SSLContext trusting(Gateway gateway) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(gateway.certificate())) {
            store.setCertificateEntry(
                    "gateway", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    /** A request with the user's credentials. */
    HttpRequest.Builder request(String path, String user) {
        String credentials = user + ":" + Gateway.PASSWORD;
        return HttpRequest.newBuilder(gateway.http(path))
                .header(
                        "Authorization",
                        "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
    }

    /** A statement as plain text. */
    HttpRequest query(String user, String accept, String sql) {
        return request("/v1/queries", user)
                .header("Accept", accept)
                .POST(BodyPublishers.ofString(sql))
                .build();
    }
}
