package dev.weir.auth.tls;

import dev.weir.auth.PrivateFile;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A certificate for a first start: EC P-256, for this host's name and loopback, valid for a year, and its own authority
 * so that a client can be told to trust it. Lies in {@code tls/cert.pem} and {@code tls/key.pem} of the data directory.
 */
final class SelfSignedCertificate {

    static final Duration LIFE = Duration.ofDays(365);
    static final Duration REMAKE_BEFORE_END = Duration.ofDays(30);

    private static final Logger LOG = LoggerFactory.getLogger(SelfSignedCertificate.class);
    private static final String SUBJECT = "CN=Weir self-signed certificate";
    private static final Duration CLOCK_SKEW = Duration.ofDays(1);
    private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?");

    private SelfSignedCertificate() {}

    static Path certificateFile(Path dataDir) {
        return dataDir.resolve("tls").resolve("cert.pem");
    }

    static Path keyFile(Path dataDir) {
        return dataDir.resolve("tls").resolve("key.pem");
    }

    /** Whether the certificate was made here and comes to its end. */
    static boolean isDue(CertifiedKey pair, Clock clock) {
        return isOurs(pair.certificate())
                && clock.instant().isAfter(pair.notAfter().minus(REMAKE_BEFORE_END));
    }

    /**
     * Makes the certificate when it is missing or comes to its end. Processes that start at once end with the same one.
     *
     * @throws TlsException when it cannot be made, or the files there are someone else's and cannot be used
     */
    static void ensure(Path dataDir, Clock clock) {
        Path certificate = certificateFile(dataDir);
        try {
            PrivateFile.createParent(certificate);
            PrivateFile.locked(certificate.resolveSibling("cert.pem.lock"), () -> {
                if (!isUsable(dataDir, clock)) {
                    make(dataDir, clock);
                }
                return true;
            });
        } catch (IOException e) {
            throw new TlsException(
                    "weir.data-dir: no self-signed certificate can be made in " + certificate.getParent() + ": "
                            + PrivateFile.reason(e),
                    e);
        }
    }

    private static boolean isUsable(Path dataDir, Clock clock) {
        if (Files.notExists(certificateFile(dataDir)) || Files.notExists(keyFile(dataDir))) {
            return false;
        }
        PemFile certificate = PemFile.read(TlsSettings.CERTIFICATE, certificateFile(dataDir));
        X509Certificate first = certificate.certificates().get(0);
        try {
            CertifiedKey pair = CertifiedKey.of(certificate, PemFile.read(TlsSettings.PRIVATE_KEY, keyFile(dataDir)));
            return !isDue(pair, clock);
        } catch (TlsException e) {
            if (!isOurs(first)) {
                throw e;
            }
            // A stop between the writing of the two files leaves such a pair.
            LOG.warn("the self-signed certificate and its key do not belong together; both are made anew");
            return false;
        }
    }

    private static boolean isOurs(X509Certificate certificate) {
        return certificate.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())
                && certificate.getSubjectX500Principal().getName().equals(SUBJECT);
    }

    private static void make(Path dataDir, Clock clock) throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair pair = generator.generateKeyPair();
            byte[] certificate = certificate(pair, clock.instant());
            PrivateFile.write(
                    keyFile(dataDir), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
            PrivateFile.write(certificateFile(dataDir), pem("CERTIFICATE", certificate));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IOException("this Java cannot make EC certificates", e);
        }
    }

    private static byte[] certificate(KeyPair pair, Instant now)
            throws GeneralSecurityException, OperatorCreationException, IOException {
        X500Name subject = new X500Name(SUBJECT);
        JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
        return new JcaX509v3CertificateBuilder(
                        subject,
                        new BigInteger(127, new SecureRandom()).setBit(126),
                        Date.from(now.minus(CLOCK_SKEW)),
                        Date.from(now.plus(LIFE)),
                        subject,
                        pair.getPublic())
                .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
                .addExtension(Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature | KeyUsage.keyCertSign))
                .addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth))
                .addExtension(Extension.subjectAlternativeName, false, alternativeNames())
                .addExtension(
                        Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(pair.getPublic()))
                .addExtension(
                        Extension.authorityKeyIdentifier,
                        false,
                        identifiers.createAuthorityKeyIdentifier(pair.getPublic()))
                .build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate()))
                .getEncoded();
    }

    private static GeneralNames alternativeNames() {
        List<GeneralName> names = new ArrayList<>();
        names.add(new GeneralName(GeneralName.dNSName, "localhost"));
        String host = hostName();
        if (HOST_NAME.matcher(host).matches() && !host.equals("localhost")) {
            names.add(new GeneralName(GeneralName.dNSName, host));
        }
        names.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
        names.add(new GeneralName(GeneralName.iPAddress, "::1"));
        return new GeneralNames(names.toArray(new GeneralName[0]));
    }

    private static String hostName() {
        String name = System.getenv("HOSTNAME");
        if (name == null || name.isBlank()) {
            try {
                name = InetAddress.getLocalHost().getHostName();
            } catch (UnknownHostException e) {
                name = "localhost";
            }
        }
        return name.toLowerCase(Locale.ROOT);
    }

    private static byte[] pem(String type, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return ("-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n")
                .getBytes(StandardCharsets.US_ASCII);
    }
}
