package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.flightsql.FakeQueries.Script;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {

    /** A key and the certificate of its own that belongs to it. */
    private record Pair(PrivateKey key, X509Certificate certificate) {}

    private final Pair server = pair("localhost");
    private final Pair user = pair("bob");
    private final FrontHarness harness =
            new FrontHarness(new FlightTls(keyManager(server), trustManager(user)), Duration.ofSeconds(30));

    TlsTest() throws Exception {
        harness.queries.scripts.put("numbers", Script.numbers(2, 2));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aClientThatTrustsTheCertificateReadsResults() throws Exception {
        FlightSqlClient client = new FlightSqlClient(harness.flight(
                FlightClient.builder()
                        .trustedCertificates(
                                pem("CERTIFICATE", server.certificate().getEncoded())),
                "authorization",
                FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann"))));

        assertThat(FrontHarness.read(client, client.execute("numbers"))).hasSize(4);
    }

    @Test
    void aClientThatDoesNotVerifyReadsResultsToo() throws Exception {
        FlightSqlClient client = new FlightSqlClient(harness.flight(
                FlightClient.builder().verifyServer(false),
                "authorization",
                FrontHarness.basic("ann", FakeAuthenticator.passwordOf("ann"))));

        assertThat(FrontHarness.read(client, client.execute("numbers"))).hasSize(4);
    }

    @Test
    void aClientCertificateIsAnIdentity() throws Exception {
        FlightSqlClient client = new FlightSqlClient(harness.flight(FlightClient.builder()
                .trustedCertificates(pem("CERTIFICATE", server.certificate().getEncoded()))
                .clientCertificate(
                        pem("CERTIFICATE", user.certificate().getEncoded()),
                        pem("PRIVATE KEY", user.key().getEncoded()))));

        assertThat(FrontHarness.read(client, client.execute("numbers"))).hasSize(4);
        assertThat(harness.queries.last().identity.user()).isEqualTo("bob");
    }

    @Test
    void withoutACertificateCredentialsAreNeeded() throws Exception {
        FlightSqlClient client =
                new FlightSqlClient(harness.flight(FlightClient.builder().verifyServer(false)));

        StatementsTest.assertStatus(() -> client.execute("numbers"), FlightStatusCode.UNAUTHENTICATED, "Credentials");
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void bothProtocolsAreSpoken(String protocol) throws Exception {
        assertThat(handshake(protocol)).isEqualTo(protocol);
    }

    @Test
    void olderProtocolsAreNot() {
        assertThatThrownBy(() -> handshake("TLSv1.1")).isInstanceOf(SSLHandshakeException.class);
    }

    private String handshake(String protocol) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {trustManager(server)}, null);
        try (SSLSocket socket =
                (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", harness.front.port())) {
            socket.setEnabledProtocols(new String[] {protocol});
            socket.startHandshake();
            return socket.getSession().getProtocol();
        }
    }

    private static Pair pair(String name) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair keys = generator.generateKeyPair();
        X500Name subject = new X500Name("CN=" + name);
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                subject,
                BigInteger.valueOf(now.toEpochMilli()),
                Date.from(now.minusSeconds(60)),
                Date.from(now.plusSeconds(3_600)),
                subject,
                keys.getPublic());
        builder.addExtension(
                Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(GeneralName.dNSName, name)));
        X509Certificate certificate = new JcaX509CertificateConverter()
                .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        return new Pair(keys.getPrivate(), certificate);
    }

    private static X509ExtendedKeyManager keyManager(Pair pair) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("key", pair.key(), new char[0], new X509Certificate[] {pair.certificate()});
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return (X509ExtendedKeyManager) factory.getKeyManagers()[0];
    }

    private static X509TrustManager trustManager(Pair pair) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry("authority", pair.certificate());
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return Arrays.stream(factory.getTrustManagers())
                .filter(X509TrustManager.class::isInstance)
                .map(X509TrustManager.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static InputStream pem(String kind, byte[] bytes) {
        String text = "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                        .encodeToString(bytes)
                + "\n-----END " + kind + "-----\n";
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }
}
