package dev.weir.auth.tls;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;

/**
 * A private key and the certificate chain that belongs to it. Immutable.
 *
 * @param key RSA or EC
 * @param chain the key's own certificate first
 */
record CertifiedKey(PrivateKey key, List<X509Certificate> chain) {

    /** @throws TlsException when the key is of another kind, or does not belong to the first certificate */
    static CertifiedKey of(PemFile certificateFile, PemFile keyFile) {
        List<X509Certificate> chain = certificateFile.certificates();
        PrivateKey key = keyFile.privateKey();
        if (!key.getAlgorithm().equals("RSA") && !key.getAlgorithm().equals("EC")) {
            throw keyFile.problem("has a key of the kind " + key.getAlgorithm() + "; use RSA or EC");
        }
        if (!matches(key, chain.get(0))) {
            throw keyFile.problem("has a key that does not belong to the first certificate of "
                    + certificateFile.property() + " (" + certificateFile.path() + ")");
        }
        return new CertifiedKey(key, chain);
    }

    X509Certificate certificate() {
        return chain.get(0);
    }

    Instant notAfter() {
        return certificate().getNotAfter().toInstant();
    }

    /** SHA-256 of the certificate, as {@code openssl x509 -fingerprint -sha256} shows it. */
    String fingerprint() {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(certificate().getEncoded());
            return HexFormat.ofDelimiter(":").withUpperCase().formatHex(digest);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("a certificate that was read can be written", e);
        }
    }

    /** Keys are compared by use: a private key does not always tell its public half. */
    private static boolean matches(PrivateKey key, X509Certificate certificate) {
        String algorithm = key.getAlgorithm();
        if (!algorithm.equals(certificate.getPublicKey().getAlgorithm())) {
            return false;
        }
        try {
            Signature signature = Signature.getInstance(algorithm.equals("EC") ? "SHA256withECDSA" : "SHA256withRSA");
            byte[] probe = certificate.getEncoded();
            signature.initSign(key);
            signature.update(probe);
            byte[] signed = signature.sign();
            signature.initVerify(certificate.getPublicKey());
            signature.update(probe);
            return signature.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
