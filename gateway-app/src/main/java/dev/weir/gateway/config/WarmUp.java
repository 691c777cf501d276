package dev.weir.gateway.config;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/**
 * Calls both fronts until the JVM has compiled their paths. The first few hundred calls were measured three to four
 * times slower than later ones; no user shall be the one who waits for that. That is once for each process: another
 * gateway in it calls each front once, to see that it answers.
 */
final class WarmUp {

    /** Calls for each front and time for all of them; whichever ends first. */
    private static final int CALLS = 300;

    private static final Duration TIME = Duration.ofSeconds(3);
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(30);

    /** Users may be there already, or the caps be small: a refused call has gone through the front all the same. */
    private static final int TOO_MANY_REQUESTS = 429;

    private static final TimeUnit BUSY_PAUSE = TimeUnit.MILLISECONDS;

    /** Whether the paths are compiled in this process. */
    private static final AtomicBoolean COMPILED = new AtomicBoolean();

    private final Endpoint http;
    private final Endpoint flight;
    private final String token;
    private final Supplier<List<X509Certificate>> ownCertificates;
    private final int calls = COMPILED.get() ? 1 : CALLS;

    /**
     * A front as this machine reaches it.
     *
     * @param host a name or address
     * @param port TCP port
     * @param tls whether it speaks TLS
     */
    record Endpoint(String host, int port, boolean tls) {}

    /** @param ownCertificates the chain that the fronts show; nobody else is trusted with the token */
    WarmUp(Endpoint http, Endpoint flight, String token, Supplier<List<X509Certificate>> ownCertificates) {
        this.http = http;
        this.flight = flight;
        this.token = token;
        this.ownCertificates = ownCertificates;
    }

    /** Blocks until both fronts were called often enough; throws what a call threw. */
    void run() throws Exception {
        ExecutorService both = Executors.newFixedThreadPool(2, task -> {
            Thread thread = new Thread(task, "weir-warm-up");
            thread.setDaemon(true);
            return thread;
        });
        try {
            Future<Integer> first = both.submit(this::callHttp);
            Future<Integer> second = both.submit((Callable<Integer>) this::callFlight);
            first.get();
            second.get();
            COMPILED.set(true);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            both.shutdownNow();
        }
    }

    private int callHttp() throws Exception {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CALL_TIMEOUT);
        if (http.tls()) {
            builder.sslContext(ownContext());
        }
        HttpClient client = builder.build();
        URI uri = URI.create((http.tls() ? "https" : "http") + "://" + http.host() + ":" + http.port() + "/v1/queries");
        long end = System.nanoTime() + TIME.toNanos();
        int made = 0;
        while (made < calls && System.nanoTime() < end) {
            String accept = made % 2 == 0 ? "application/json" : "application/vnd.apache.arrow.stream";
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .timeout(CALL_TIMEOUT)
                    .header("Authorization", "Bearer " + token)
                    .header("Accept", accept)
                    .POST(HttpRequest.BodyPublishers.ofString("select 1 + " + made, StandardCharsets.UTF_8))
                    .build();
            int status =
                    client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
            if (status == TOO_MANY_REQUESTS) {
                BUSY_PAUSE.sleep(1);
            } else if (status != 200) {
                throw new IllegalStateException("The HTTP front answered " + status + " to the warm-up");
            }
            made++;
        }
        return made;
    }

    private int callFlight() throws Exception {
        Location location = flight.tls()
                ? Location.forGrpcTls(flight.host(), flight.port())
                : Location.forGrpcInsecure(flight.host(), flight.port());
        CallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", "Bearer " + token);
        CallOption auth = new HeaderCallOption(headers);
        try (BufferAllocator allocator = new RootAllocator(64L << 20);
                FlightClient client = FlightClient.builder(allocator, location)
                        .verifyServer(false)
                        .build();
                FlightSqlClient sql = new FlightSqlClient(client)) {
            long end = System.nanoTime() + TIME.toNanos();
            int made = 0;
            while (made < calls && System.nanoTime() < end) {
                try {
                    callFlight(sql, "select 1 + " + made, auth);
                } catch (FlightRuntimeException e) {
                    if (e.status().code() != FlightStatusCode.RESOURCE_EXHAUSTED) {
                        throw e;
                    }
                    BUSY_PAUSE.sleep(1);
                }
                made++;
            }
            return made;
        }
    }

    private static void callFlight(FlightSqlClient sql, String text, CallOption auth) throws Exception {
        FlightInfo info = sql.execute(text, auth);
        try (FlightStream stream = sql.getStream(info.getEndpoints().get(0).getTicket(), auth)) {
            while (stream.next()) {
                // Only the server's path matters.
            }
        }
    }

    private SSLContext ownContext() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new OwnCertificate()}, new SecureRandom());
        return context;
    }

    /** Trusts the certificate that this gateway serves, under any name, and nothing else. */
    private final class OwnCertificate extends X509ExtendedTrustManager {

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain.length == 0 || !ownCertificates.get().contains(chain[0])) {
                throw new CertificateException("not this gateway's certificate");
            }
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, java.net.Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("only servers are checked");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, java.net.Socket socket)
                throws CertificateException {
            throw new CertificateException("only servers are checked");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("only servers are checked");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
