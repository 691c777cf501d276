package dev.weir.auth.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/** A TLS server on a free port that tells each client the common name of its certificate, or "nobody". */
final class TlsServer implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 10_000;

    private final SSLServerSocket listener;

    TlsServer(TlsMaterial material) throws IOException {
        listener = (SSLServerSocket) material.sslContext()
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        listener.setEnabledProtocols(material.protocols().toArray(new String[0]));
        listener.setWantClientAuth(material.clientTrustManager() != null);
        Thread thread = new Thread(this::serve, "tls-test-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listener.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }

    private void serve() {
        while (!listener.isClosed()) {
            try (SSLSocket socket = (SSLSocket) listener.accept()) {
                socket.setSoTimeout(TIMEOUT_MILLIS);
                socket.startHandshake();
                socket.getOutputStream().write((clientName(socket) + "\n").getBytes(UTF_8));
            } catch (IOException refused) {
                // The client sees why.
            }
        }
    }

    private static String clientName(SSLSocket socket) {
        try {
            X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
            return String.valueOf(ClientCertificates.commonName(certificate));
        } catch (SSLPeerUnverifiedException e) {
            return "nobody";
        }
    }

    /** What a client saw of the server. */
    record Seen(String protocol, X509Certificate certificate, String clientName) {}

    /** Connects with the host name verified, trusting one certificate. */
    Seen connect(String host, String protocol, X509Certificate trusted, TestAuthority.Issued own)
            throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keyManagers(own), trusting(trusted).getTrustManagers(), null);
        try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port());
                SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, host, port(), true)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.setEnabledProtocols(new String[] {protocol});
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            String answer = new String(socket.getInputStream().readAllBytes(), UTF_8).strip();
            return new Seen(
                    socket.getSession().getProtocol(),
                    (X509Certificate) socket.getSession().getPeerCertificates()[0],
                    answer);
        }
    }

    private static KeyManager[] keyManagers(TestAuthority.Issued own) throws GeneralSecurityException, IOException {
        if (own == null) {
            return new KeyManager[0];
        }
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("own", own.key(), new char[0], own.chain().toArray(new X509Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static TrustManagerFactory trusting(X509Certificate trusted) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate each : List.of(trusted)) {
            store.setCertificateEntry("ca", each);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        return factory;
    }
}
