package dev.weir.bench;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
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
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.auth2.BasicAuthCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** Clients that trust the server's certificate, and what they send. */
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

    /** A query over HTTP, as its user. */
    static HttpRequest.Builder query(Bench.Target target, String sql) {
        return HttpRequest.newBuilder(URI.create("https://localhost:" + target.httpPort() + "/v1/queries"))
                .header("Authorization", basic(target))
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString(sql));
    }

    /** A query over Flight SQL in one round trip. */
    static Ticket ticket(String sql) {
        CommandStatementQuery command = CommandStatementQuery.newBuilder()
                .setQueryBytes(ByteString.copyFromUtf8(sql))
                .build();
        return new Ticket(Any.pack(command).toByteArray());
    }

    /** Runs a query to its end; false when it was refused and may be tried again. */
    static boolean submit(HttpClient http, Bench.Target target, String sql) throws Exception {
        HttpResponse<String> answer = http.send(query(target, sql).build(), BodyHandlers.ofString());
        if (answer.statusCode() == 429) {
            return false;
        }
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
        return true;
    }

    /** The same over Flight SQL. */
    static boolean submit(Flight flight, String sql) throws Exception {
        try (FlightStream stream = flight.client().getStream(ticket(sql), flight.credentials())) {
            while (stream.next()) {
                stream.getRoot().getRowCount();
            }
            return true;
        } catch (FlightRuntimeException e) {
            if (e.status().code() == FlightStatusCode.RESOURCE_EXHAUSTED) {
                return false;
            }
            throw e;
        }
    }
}
