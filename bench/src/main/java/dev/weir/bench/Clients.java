package dev.weir.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.auth2.BasicAuthCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Clients that trust the server's certificate. */
final class Clients {

    private Clients() {}

    static HttpClient http(Bench.Target target) throws GeneralSecurityException, IOException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {trusting(target.certificate())}, null);
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .sslContext(context)
                .build();
    }

    static X509TrustManager trusting(Path certificate) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream in = Files.newInputStream(certificate)) {
            store.setCertificateEntry(
                    "server", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        return (X509TrustManager) trust.getTrustManagers()[0];
    }

    static String basic(Bench.Target target) {
        return "Basic "
                + Base64.getEncoder()
                        .encodeToString((target.user() + ":" + target.password()).getBytes(StandardCharsets.UTF_8));
    }

    /** A Flight client and what it shows with each call. */
    record Flight(BufferAllocator allocator, FlightClient client, CallOption credentials) implements AutoCloseable {

        @Override
        public void close() throws InterruptedException {
            client.close();
            allocator.close();
        }
    }

    static Flight flight(Bench.Target target, int port) throws IOException {
        BufferAllocator allocator = new RootAllocator();
        try (InputStream certificate = Files.newInputStream(target.certificate())) {
            FlightClient client = FlightClient.builder(allocator, Location.forGrpcTls("localhost", port))
                    .trustedCertificates(certificate)
                    .build();
            return new Flight(
                    allocator,
                    client,
                    new CredentialCallOption(new BasicAuthCredentialWriter(target.user(), target.password())));
        }
    }
}
