package dev.weir.auth.tls;

import static dev.weir.auth.tls.TestAuthority.pem;
import static dev.weir.auth.tls.TestAuthority.writePem;
import static dev.weir.auth.tls.TestAuthority.writeText;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.auth.ManualScheduler;
import dev.weir.auth.tls.TestAuthority.Issued;
import java.io.DataInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.ECPrivateKey;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.bouncycastle.util.io.pem.PemObject;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class TlsMaterialTest {

    @TempDir
    private Path directory;

    private final TestAuthority authority = new TestAuthority("test authority");
    private final ManualScheduler scheduler = new ManualScheduler();
    private Path certificateFile, keyFile, caFile;

    @BeforeEach
    void chooseFiles() {
        certificateFile = directory.resolve("server.crt");
        keyFile = directory.resolve("server.key");
        caFile = directory.resolve("ca.crt");
    }

    @ParameterizedTest
    @CsvSource({"RSA, TLSv1.2", "RSA, TLSv1.3", "EC, TLSv1.2", "EC, TLSv1.3"})
    void showsTheConfiguredChain(String algorithm, String protocol) throws Exception {
        Issued issued = issue(algorithm);
        TlsMaterial material = open(false);

        assertThat(material.isSelfSigned()).isFalse();
        assertThat(material.certificateFile()).isEqualTo(certificateFile);
        try (TlsServer server = new TlsServer(material)) {
            assertThat(server.connect("localhost", protocol, authority.certificate(), null))
                    .isEqualTo(new TlsServer.Seen(protocol, issued.certificate(), "nobody"));
        }
        assertThat(directory.resolve("tls")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0300, 0x0301, 0x0302})
    void refusesProtocolsBelowTls12(int version) throws Exception {
        issue("EC");
        try (TlsServer server = new TlsServer(open(false));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(clientHello(version));
            DataInputStream in = new DataInputStream(socket.getInputStream());

            assertThat(in.readUnsignedByte()).as("record type alert").isEqualTo(21);
            in.skipNBytes(4);
            assertThat(in.readUnsignedByte()).as("fatal").isEqualTo(2);
            assertThat(in.readUnsignedByte()).as("protocol_version").isEqualTo(70);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void newConnectionsGetARenewedCertificateWithinSeconds(String protocol) throws Exception {
        Issued first = issue("RSA");
        TlsMaterial material = open(false);
        try (TlsServer server = new TlsServer(material)) {
            assertThat(shown(server, protocol)).isEqualTo(first.certificate());

            Issued second = issue("EC");
            scheduler.advance(Duration.ofSeconds(6));

            assertThat(shown(server, protocol)).isEqualTo(second.certificate());
            assertThat(material.certificateChain()).isEqualTo(second.chain());
            assertThat(material.notAfter())
                    .isEqualTo(second.certificate().getNotAfter().toInstant());
        }
    }

    @Test
    void aCertificateWithoutItsKeyLeavesTheOldPairInForceUntilTheKeyCame() throws Exception {
        Issued first = issue("EC");
        TlsMaterial material = open(false);
        Issued second = authority.issue("CN=localhost", "EC");
        try (TlsServer server = new TlsServer(material)) {
            writePem(certificateFile, second.chain());
            material.poll();
            assertThat(shown(server, "TLSv1.3")).isEqualTo(first.certificate());
            assertThat(material.problem()).startsWith("weir.tls.private-key: ").contains("does not belong");

            second.write(certificateFile, keyFile);
            material.poll();
            assertThat(shown(server, "TLSv1.3")).isEqualTo(second.certificate());
            assertThat(material.problem()).isNull();
        }
    }

    @Test
    void aFileThatGoesAwayLeavesTheOldPairInForceAndIsReportedOnce() throws Exception {
        Issued first = issue("EC");
        TlsMaterial material = open(false);
        ListAppender<ILoggingEvent> log = capture();
        Files.delete(keyFile);

        scheduler.advance(Duration.ofSeconds(30));

        assertThat(material.certificateChain()).isEqualTo(first.chain());
        assertThat(material.problem())
                .isEqualTo("weir.tls.private-key: the file " + keyFile + " cannot be read: it does not exist");
        assertThat(log.list).hasSize(1).allMatch(event -> event.getLevel() == Level.ERROR);
    }

    @Test
    void aHandshakeUnderWayKeepsItsPairOverARenewal() {
        Issued first = issue("EC");
        TlsMaterial material = open(false);
        String alias = material.keyManager().chooseEngineServerAlias("EC", null, null);
        issue("EC");
        material.poll();

        assertThat(material.keyManager().getPrivateKey(alias)).isEqualTo(first.key());
        assertThat(material.keyManager().getCertificateChain(alias)).containsExactlyElementsOf(first.chain());
        assertThat(material.keyManager().chooseEngineServerAlias("RSA", null, null))
                .isNull();
        assertThat(material.keyManager().getPrivateKey("weir-99")).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void clientCertificatesAreAskedForButNotRequired(String protocol) throws Exception {
        issue("EC");
        writePem(caFile, List.of(authority.certificate()));
        Issued ann = authority.issue("CN=ann,O=Example", "EC");
        Issued stranger = new TestAuthority("another authority").issue("CN=ann", "EC");
        try (TlsServer server = new TlsServer(open(true))) {
            X509Certificate trusted = authority.certificate();

            assertThat(server.connect("localhost", protocol, trusted, ann).clientName())
                    .isEqualTo("ann");
            assertThat(server.connect("localhost", protocol, trusted, null).clientName())
                    .isEqualTo("nobody");
            // A client whose authority the server does not name sends none, or is refused.
            assertThat(clientNameOrRefusal(server, protocol, stranger)).isIn("nobody", "refused");
        }
    }

    @Test
    void anUntrustedClientCertificateIsRefused() {
        issue("EC");
        writePem(caFile, List.of(authority.certificate()));
        Issued stranger = new TestAuthority("another authority").issue("CN=ann", "EC");
        TlsMaterial material = open(true);

        assertThatExceptionOfType(java.security.cert.CertificateException.class)
                .isThrownBy(() -> material.clientTrustManager()
                        .checkClientTrusted(stranger.chain().toArray(new X509Certificate[0]), "EC"));
    }

    @Test
    void aReplacedClientAuthorityIsFollowed() throws Exception {
        issue("EC");
        writePem(caFile, List.of(new TestAuthority("old authority").certificate()));
        Issued ann = authority.issue("CN=ann", "EC");
        TlsMaterial material = open(true);
        try (TlsServer server = new TlsServer(material)) {
            assertThat(clientNameOrRefusal(server, "TLSv1.3", ann)).isIn("nobody", "refused");

            writePem(caFile, List.of(authority.certificate()));
            scheduler.advance(Duration.ofSeconds(6));
            assertThat(clientNameOrRefusal(server, "TLSv1.3", ann)).isEqualTo("ann");

            writeText(caFile, "broken");
            scheduler.advance(Duration.ofSeconds(6));
            assertThat(clientNameOrRefusal(server, "TLSv1.3", ann)).isEqualTo("ann");
            assertThat(material.problem()).startsWith("weir.tls.client-ca: ");
        }
    }

    @Test
    void withoutAClientAuthorityNoClientCertificateIsAskedFor() {
        issue("EC");

        assertThat(open(false).clientTrustManager()).isNull();
    }

    @Test
    void takesKeysInTheOlderFormsOfOpenssl() throws IOException {
        PrivateKeyInfo rsa = PrivateKeyInfo.getInstance(issue("RSA").key().getEncoded());
        writeText(
                keyFile,
                pem("RSA PRIVATE KEY", rsa.parsePrivateKey().toASN1Primitive().getEncoded()));
        assertThat(open(false).problem()).isNull();

        PrivateKeyInfo ec = PrivateKeyInfo.getInstance(issue("EC").key().getEncoded());
        ASN1Encodable curve = ec.getPrivateKeyAlgorithm().getParameters();
        BigInteger secret = ECPrivateKey.getInstance(ec.parsePrivateKey()).getKey();
        writeText(
                keyFile,
                pem("EC PARAMETERS", curve.toASN1Primitive().getEncoded())
                        + pem("EC PRIVATE KEY", new ECPrivateKey(256, secret, curve).getEncoded()));
        assertThat(open(false).problem()).isNull();
    }

    @Test
    void keyAndCertificateMayLieInOneFile() {
        Issued issued = issue("EC");
        writeText(keyFile, "# a comment\n" + pem("PRIVATE KEY", issued.key().getEncoded()) + read(certificateFile));
        TlsSettings settings = new TlsSettings(directory, keyFile, keyFile, null);

        assertThat(TlsMaterial.open(settings, Clock.systemUTC(), scheduler).certificateChain())
                .isEqualTo(issued.chain());
    }

    @Test
    void anEncryptedKeyIsRefusedWithAWayOut() throws Exception {
        Issued issued = issue("RSA");
        PemObject encrypted = new JcaPKCS8Generator(
                        issued.key(),
                        new JceOpenSSLPKCS8EncryptorBuilder(JcaPKCS8Generator.AES_256_CBC)
                                .setProvider(new BouncyCastleProvider())
                                .setPassword("secret".toCharArray())
                                .build())
                .generate();
        writeText(keyFile, pem(encrypted.getType(), encrypted.getContent()));

        assertRefused("weir.tls.private-key: the file " + keyFile + " has an encrypted key; decrypt it with: ");
    }

    @Test
    void saysWhichFileIsWrongAndWhy() throws IOException {
        assertRefused("weir.tls.certificate: the file " + certificateFile + " cannot be read: it does not exist");
        issue("EC");
        Files.delete(keyFile);
        assertRefused("weir.tls.private-key: the file " + keyFile + " cannot be read: it does not exist");
        issue("Ed25519");
        assertRefused("weir.tls.private-key: the file " + keyFile + " has a key of the kind EdDSA; use RSA or EC");
        issue("EC");
        authority.issue("CN=x", "EC").write(directory.resolve("x"), keyFile);
        assertRefused("weir.tls.private-key: the file " + keyFile + " has a key that does not belong to the first");
        authority.issue("CN=x", "RSA").write(directory.resolve("x"), keyFile);
        assertRefused("weir.tls.private-key: the file " + keyFile + " has a key that does not belong to the first");
        writeText(keyFile, "no PEM");
        assertRefused("weir.tls.private-key: the file " + keyFile + " has no private key");
        writeText(keyFile, pem("PRIVATE KEY", new byte[] {1, 2, 3}));
        assertRefused("weir.tls.private-key: the file " + keyFile + " is not valid PEM");
        writeText(certificateFile, "");
        assertRefused("weir.tls.certificate: the file " + certificateFile + " has no certificate");
        writeText(certificateFile, "-----BEGIN CERTIFICATE-----\nAAAA");
        assertRefused("weir.tls.certificate: the file " + certificateFile + " is not valid PEM");
        Files.write(certificateFile, new byte[(1 << 20) + 1]);
        assertRefused("weir.tls.certificate: the file " + certificateFile + " cannot be read: larger than");
    }

    @Test
    void aMissingOrEmptyClientAuthorityStopsTheStart() {
        issue("EC");
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> open(true))
                .withMessage("weir.tls.client-ca: the file " + caFile + " cannot be read: it does not exist");
        writeText(caFile, "");
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> open(true))
                .withMessageStartingWith("weir.tls.client-ca: the file " + caFile + " has no certificate");
        assertThat(scheduler.isShutdown()).isTrue();
    }

    @Test
    void certificateAndKeyAreGivenTogether() {
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> new TlsSettings(directory, certificateFile, null, null))
                .withMessageStartingWith("weir.tls.private-key: ");
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> new TlsSettings(directory, null, keyFile, null))
                .withMessageStartingWith("weir.tls.certificate: ");
    }

    @Test
    void anExpiredCertificateIsServedWithAWarning() {
        authority
                .issue("CN=localhost", "EC", Instant.now().minus(Duration.ofDays(1)))
                .write(certificateFile, keyFile);
        ListAppender<ILoggingEvent> log = capture();

        open(false);

        assertThat(log.list)
                .anyMatch(event -> event.getLevel() == Level.WARN
                        && event.getFormattedMessage().startsWith("weir.tls.certificate: the certificate expired at "));
    }

    @Test
    void theMostSpecificCommonNameCounts() {
        assertThat(commonName("CN=ann,OU=x,O=y")).isEqualTo("ann");
        assertThat(commonName("O=y,CN=ann\\, the first")).isEqualTo("ann, the first");
        assertThat(commonName("O=y")).isNull();
        assertThat(commonName("O=\"CN=eve\",CN=ann")).isEqualTo("ann");
    }

    private String commonName(String subject) {
        return ClientCertificates.commonName(authority.issue(subject, "EC").certificate());
    }

    private Issued issue(String algorithm) {
        Issued issued = authority.issue("CN=localhost", algorithm);
        issued.write(certificateFile, keyFile);
        return issued;
    }

    private TlsMaterial open(boolean clientCa) {
        TlsSettings settings = new TlsSettings(directory, certificateFile, keyFile, clientCa ? caFile : null);
        return TlsMaterial.open(settings, Clock.systemUTC(), scheduler);
    }

    private void assertRefused(String message) {
        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(() -> open(false))
                .withMessageStartingWith(message);
    }

    private X509Certificate shown(TlsServer server, String protocol) throws Exception {
        return server.connect("localhost", protocol, authority.certificate(), null)
                .certificate();
    }

    private String clientNameOrRefusal(TlsServer server, String protocol, Issued own) throws Exception {
        try {
            return server.connect("localhost", protocol, authority.certificate(), own)
                    .clientName();
        } catch (IOException e) {
            return "refused";
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static ListAppender<ILoggingEvent> capture() {
        Logger logger = (Logger) LoggerFactory.getLogger(TlsMaterial.class);
        ListAppender<ILoggingEvent> appender = new ListAppender<>();
        appender.start();
        logger.addAppender(appender);
        return appender;
    }

    /** A client's first message, offering one suite and nothing newer than a version. */
    private static byte[] clientHello(int version) {
        ByteBuffer body = ByteBuffer.allocate(41)
                .putShort((short) version)
                .put(new byte[32])
                .put((byte) 0)
                .putShort((short) 2)
                .putShort((short) 0x002f)
                .put((byte) 1)
                .put((byte) 0);
        ByteBuffer record = ByteBuffer.allocate(9 + 41)
                .put((byte) 22)
                .putShort((short) version)
                .putShort((short) 45)
                .put((byte) 1)
                .put((byte) 0)
                .putShort((short) 41)
                .put(body.array());
        return record.array();
    }
}
