package dev.weir.auth.tls;

import dev.weir.auth.PrivateFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.openssl.PEMEncryptedKeyPair;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;
import org.bouncycastle.openssl.jcajce.JcaPEMKeyConverter;
import org.bouncycastle.pkcs.PKCS8EncryptedPrivateKeyInfo;

/**
 * The content of one PEM file, read at once. Immutable.
 *
 * @param property names the file in messages
 * @param path the file
 * @param content its bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by sameContent only
record PemFile(String property, Path path, byte[] content) {

    private static final int MAX_BYTES = 1 << 20;

    /** @throws TlsException when the file cannot be read */
    static PemFile read(String property, Path path) {
        try {
            return new PemFile(property, path, PrivateFile.read(path, MAX_BYTES));
        } catch (IOException e) {
            throw new TlsException(property + ": the file " + path + " cannot be read: " + PrivateFile.reason(e), e);
        }
    }

    boolean sameContent(PemFile other) {
        return Arrays.equals(content, other.content);
    }

    /**
     * @return the certificates in the file's order, at least one
     * @throws TlsException when there is none or one is broken
     */
    List<X509Certificate> certificates() {
        JcaX509CertificateConverter converter = new JcaX509CertificateConverter();
        List<X509Certificate> certificates = new ArrayList<>();
        for (Object object : objects()) {
            if (object instanceof X509CertificateHolder holder) {
                try {
                    certificates.add(converter.getCertificate(holder));
                } catch (CertificateException e) {
                    throw problem("has a certificate that cannot be read", e);
                }
            }
        }
        if (certificates.isEmpty()) {
            throw problem("has no certificate (a block that begins with -----BEGIN CERTIFICATE-----)");
        }
        return List.copyOf(certificates);
    }

    /**
     * @return the file's first private key
     * @throws TlsException when there is none, or it is encrypted or broken
     */
    PrivateKey privateKey() {
        JcaPEMKeyConverter converter = new JcaPEMKeyConverter();
        try {
            for (Object object : objects()) {
                if (object instanceof PKCS8EncryptedPrivateKeyInfo || object instanceof PEMEncryptedKeyPair) {
                    throw problem("has an encrypted key; decrypt it with: openssl pkey -in KEY -out KEY.plain");
                }
                if (object instanceof PrivateKeyInfo info) {
                    return converter.getPrivateKey(info);
                }
                if (object instanceof PEMKeyPair pair) {
                    return converter.getPrivateKey(pair.getPrivateKeyInfo());
                }
            }
        } catch (IOException e) {
            throw problem("has a private key that cannot be read", e);
        }
        throw problem("has no private key (a block that begins with -----BEGIN PRIVATE KEY-----)");
    }

    TlsException problem(String what) {
        return new TlsException(property + ": the file " + path + " " + what);
    }

    private TlsException problem(String what, Throwable cause) {
        return new TlsException(property + ": the file " + path + " " + what, cause);
    }

    private List<Object> objects() {
        List<Object> objects = new ArrayList<>();
        try (PEMParser parser =
                new PEMParser(new InputStreamReader(new ByteArrayInputStream(content), StandardCharsets.US_ASCII))) {
            for (Object object = parser.readObject(); object != null; object = parser.readObject()) {
                objects.add(object);
            }
        } catch (IOException | RuntimeException e) {
            throw problem("is not valid PEM", e);
        }
        return objects;
    }
}
