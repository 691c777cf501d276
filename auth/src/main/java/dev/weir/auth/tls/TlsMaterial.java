package dev.weir.auth.tls;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The server's certificate and key, and the authorities of client certificates, for every front. Follows the files:
 * new connections get a renewed certificate within seconds, old ones go on. Files that cannot be used leave what was
 * read before in force. Thread-safe; owns the thread that follows the files, until closed.
 */
public final class TlsMaterial implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(TlsMaterial.class);
    private static final long POLL_SECONDS = 5;
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");

    private final TlsSettings settings;
    private final Clock clock;
    private final boolean selfSigned;
    private final ReloadingKeyManager keyManager;
    private final @Nullable ReloadingTrustManager trustManager;
    private final ScheduledExecutorService scheduler;
    private volatile @Nullable String problem;

    @GuardedBy("this")
    private PairFiles pairFiles;

    @GuardedBy("this")
    private @Nullable PemFile clientCaFile;

    /** The files of the pair in force. */
    private record PairFiles(PemFile certificate, PemFile key) {

        boolean sameContent(PairFiles other) {
            return certificate.sameContent(other.certificate) && key.sameContent(other.key);
        }
    }

    private TlsMaterial(TlsSettings settings, Clock clock, ScheduledExecutorService scheduler) {
        this.settings = settings;
        this.clock = clock;
        this.scheduler = scheduler;
        this.selfSigned = settings.certificate() == null;
        if (selfSigned) {
            SelfSignedCertificate.ensure(settings.dataDir(), clock);
        }
        this.pairFiles = readPair();
        this.keyManager = new ReloadingKeyManager(CertifiedKey.of(pairFiles.certificate, pairFiles.key));
        this.clientCaFile = readClientCa();
        this.trustManager = clientCaFile == null ? null : new ReloadingTrustManager(clientCaFile.certificates());
        warnOfTime(keyManager.current());
    }

    /**
     * Reads the certificate and key, or makes a self-signed certificate when none is configured.
     *
     * @throws TlsException when they cannot be used; the message names the property
     */
    public static TlsMaterial open(TlsSettings settings, Clock clock) {
        return open(settings, clock, Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-certificates");
            thread.setDaemon(true);
            return thread;
        }));
    }

    /** @param scheduler ended with the material */
    static TlsMaterial open(TlsSettings settings, Clock clock, ScheduledExecutorService scheduler) {
        try {
            TlsMaterial material = new TlsMaterial(settings, clock, scheduler);
            var unused = scheduler.scheduleWithFixedDelay(
                    material::pollSafely, POLL_SECONDS, POLL_SECONDS, TimeUnit.SECONDS);
            return material;
        } catch (RuntimeException e) {
            scheduler.shutdownNow();
            throw e;
        }
    }

    /** Shows the certificate in force at each handshake; RSA or EC. */
    public X509ExtendedKeyManager keyManager() {
        return keyManager;
    }

    /** Verifies client certificates by the configured authorities, or null when none are to be asked for. */
    public @Nullable X509ExtendedTrustManager clientTrustManager() {
        return trustManager;
    }

    /** The protocols to enable, by their names in JSSE. */
    public List<String> protocols() {
        return PROTOCOLS;
    }

    /** A JSSE context of these managers. Protocols and client authentication remain for the caller to set. */
    public SSLContext sslContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            TrustManager[] trust = trustManager == null ? new TrustManager[0] : new TrustManager[] {trustManager};
            context.init(new KeyManager[] {keyManager}, trust, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has TLS", e);
        }
    }

    /** Whether the certificate is one that this gateway made for itself. */
    public boolean isSelfSigned() {
        return selfSigned;
    }

    /** The PEM file that the certificate comes from. */
    public Path certificateFile() {
        return certificateFile(settings);
    }

    /** The certificates in force, the server's own first. */
    public List<X509Certificate> certificateChain() {
        return keyManager.current().chain();
    }

    /** SHA-256 of the certificate in force: 32 pairs of hexadecimal digits with colons between. */
    public String fingerprint() {
        return keyManager.current().fingerprint();
    }

    /** End of the certificate in force. */
    public Instant notAfter() {
        return keyManager.current().notAfter();
    }

    /** Why the files as they are now are not in force, or null when they are; for health. */
    public @Nullable String problem() {
        return problem;
    }

    /** Looks at the files at once, instead of within 5 seconds. */
    public synchronized void poll() {
        try {
            if (selfSigned && SelfSignedCertificate.isDue(keyManager.current(), clock)) {
                SelfSignedCertificate.ensure(settings.dataDir(), clock);
            }
            followPair();
            followClientCa();
            problem = null;
        } catch (TlsException e) {
            report(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }

    @GuardedBy("this")
    private void followPair() {
        PairFiles read = readPair();
        if (read.sameContent(pairFiles)) {
            return;
        }
        CertifiedKey pair = CertifiedKey.of(read.certificate, read.key);
        keyManager.replace(pair);
        pairFiles = read;
        LOG.info("certificate replaced: SHA-256 {}, valid until {}", pair.fingerprint(), pair.notAfter());
        warnOfTime(pair);
    }

    @GuardedBy("this")
    private void followClientCa() {
        PemFile read = readClientCa();
        if (trustManager == null || read == null || (clientCaFile != null && read.sameContent(clientCaFile))) {
            return;
        }
        trustManager.replace(read.certificates());
        clientCaFile = read;
        LOG.info("authorities of client certificates replaced");
    }

    private PairFiles readPair() {
        return new PairFiles(
                PemFile.read(TlsSettings.CERTIFICATE, certificateFile(settings)),
                PemFile.read(TlsSettings.PRIVATE_KEY, keyFile(settings)));
    }

    private @Nullable PemFile readClientCa() {
        Path file = settings.clientCa();
        return file == null ? null : PemFile.read(TlsSettings.CLIENT_CA, file);
    }

    private void report(String newProblem) {
        if (!newProblem.equals(problem)) {
            LOG.error("{}; what was read before stays in force", newProblem);
        }
        problem = newProblem;
    }

    private void warnOfTime(CertifiedKey pair) {
        Instant now = clock.instant();
        if (now.isAfter(pair.notAfter())) {
            LOG.warn("{}: the certificate expired at {}", TlsSettings.CERTIFICATE, pair.notAfter());
        } else if (now.isBefore(pair.certificate().getNotBefore().toInstant())) {
            LOG.warn(
                    "{}: the certificate is valid only from {}",
                    TlsSettings.CERTIFICATE,
                    pair.certificate().getNotBefore().toInstant());
        }
    }

    private void pollSafely() {
        try {
            poll();
        } catch (RuntimeException e) {
            // Thrown on, it would end the polling for good.
            LOG.error("certificates could not be polled", e);
        }
    }

    private static Path certificateFile(TlsSettings settings) {
        Path configured = settings.certificate();
        return configured == null ? SelfSignedCertificate.certificateFile(settings.dataDir()) : configured;
    }

    private static Path keyFile(TlsSettings settings) {
        Path configured = settings.privateKey();
        return configured == null ? SelfSignedCertificate.keyFile(settings.dataDir()) : configured;
    }
}
