package dev.weir.auth.tls;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A certificate authority of the tests. */
public final class TestAuthority {

    /** A key and its chain, leaf first. */
    public record Issued(PrivateKey key, List<X509Certificate> chain) {

        X509Certificate certificate() {
            return chain.get(0);
        }

        void write(Path certificateFile, Path keyFile) {
            writePem(certificateFile, chain);
            writeText(keyFile, pem("PRIVATE KEY", key.getEncoded()));
        }
    }

    private final X500Name name;
    private final KeyPair pair;
    private final X509Certificate certificate;

    public TestAuthority(String commonName) {
        this.name = new X500Name("CN=" + commonName);
        this.pair = pair("EC");
        this.certificate = sign(name, pair, true, Instant.now().plus(Duration.ofDays(10)));
    }

    public X509Certificate certificate() {
        return certificate;
    }

    public Issued issue(String subject, String algorithm) {
        return issue(subject, algorithm, Instant.now().plus(Duration.ofDays(10)));
    }

    public Issued issue(String subject, String algorithm, Instant notAfter) {
        KeyPair own = pair(algorithm);
        return new Issued(own.getPrivate(), List.of(sign(new X500Name(subject), own, false, notAfter), certificate));
    }

    private X509Certificate sign(X500Name subject, KeyPair own, boolean authority, Instant notAfter) {
        try {
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(64, new SecureRandom()).setBit(64),
                    Date.from(notAfter.minus(Duration.ofDays(100))),
                    Date.from(notAfter),
                    subject,
                    own.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
            if (!authority) {
                builder.addExtension(
                        Extension.subjectAlternativeName,
                        false,
                        new GeneralNames(new GeneralName(GeneralName.dNSName, "localhost")));
            }
            return new JcaX509CertificateConverter()
                    .getCertificate(
                            builder.build(new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static KeyPair pair(String algorithm) {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
            if (!algorithm.equals("Ed25519")) {
                generator.initialize(algorithm.equals("RSA") ? 2048 : 256);
            }
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    public static void writePem(Path file, List<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate each : certificates) {
            try {
                text.append(pem("CERTIFICATE", each.getEncoded()));
            } catch (GeneralSecurityException e) {
                throw new AssertionError(e);
            }
        }
        writeText(file, text.toString());
    }

    public static void writeText(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String pem(String type, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
    }
}
