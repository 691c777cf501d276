package dev.weir.auth.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.auth.ManualScheduler;
import dev.weir.auth.MutableClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SelfSignedCertificateTest {

    @TempDir
    private Path dataDir;

    private final MutableClock clock = new MutableClock(Instant.now().truncatedTo(ChronoUnit.SECONDS));
    private final ManualScheduler scheduler = new ManualScheduler();

    @Test
    void isMadeAtTheFirstStartForTheOwnerOnly() throws Exception {
        TlsMaterial material = open();
        X509Certificate certificate = read(dataDir.resolve("tls/cert.pem"));

        assertThat(material.isSelfSigned()).isTrue();
        assertThat(material.certificateChain()).containsExactly(certificate);
        assertThat(material.certificateFile()).isEqualTo(dataDir.resolve("tls/cert.pem"));
        assertThat(material.notAfter()).isEqualTo(clock.instant().plus(Duration.ofDays(365)));
        assertThat(material.fingerprint()).matches("([0-9A-F]{2}:){31}[0-9A-F]{2}");
        assertThat(certificate.getBasicConstraints()).isZero();
        assertThat(certificate.getSubjectAlternativeNames())
                .contains(List.of(2, "localhost"), List.of(7, "127.0.0.1"), List.of(7, "0:0:0:0:0:0:0:1"));
        certificate.verify(certificate.getPublicKey());
        assertThat(mode("tls/key.pem")).isEqualTo("rw-------");
        assertThat(mode("tls")).isEqualTo("rwx------");
    }

    @Test
    void outlivesARestart() {
        assertThat(open().fingerprint()).isEqualTo(open().fingerprint());
    }

    @Test
    void isRemadeAtAStartWithinThirtyDaysOfItsEnd() {
        String first = open().fingerprint();

        clock.advance(Duration.ofDays(335));
        assertThat(open().fingerprint()).isEqualTo(first);
        clock.advance(Duration.ofSeconds(1));
        TlsMaterial second = open();

        assertThat(second.fingerprint()).isNotEqualTo(first);
        assertThat(second.notAfter()).isEqualTo(clock.instant().plus(Duration.ofDays(365)));
    }

    @Test
    void isRemadeWhileTheGatewayRuns() {
        TlsMaterial material = open();
        String first = material.fingerprint();
        scheduler.advance(Duration.ofSeconds(5));
        assertThat(material.fingerprint()).isEqualTo(first);

        clock.advance(Duration.ofDays(336));
        scheduler.advance(Duration.ofSeconds(6));

        assertThat(material.fingerprint()).isNotEqualTo(first);
        assertThat(material.fingerprint()).isEqualTo(open().fingerprint());
        assertThat(material.problem()).isNull();
    }

    @Test
    void isRemadeWhenAStopBetweenItsFilesLeftOneBehind() throws IOException {
        String first = open().fingerprint();
        Path other = dataDir.resolve("other");
        TlsMaterial.open(new TlsSettings(other, null, null, null), clock, scheduler);
        Files.write(dataDir.resolve("tls/key.pem"), Files.readAllBytes(other.resolve("tls/key.pem")));
        String second = open().fingerprint();
        Files.delete(dataDir.resolve("tls/cert.pem"));

        assertThat(second).isNotEqualTo(first);
        assertThat(open().fingerprint()).isNotEqualTo(second);
    }

    @Test
    void aCertificateOfAnotherMakerIsUsedButNeverReplaced() throws IOException {
        TestAuthority authority = new TestAuthority("some authority");
        TestAuthority.Issued issued = authority.issue("CN=localhost", "EC");
        Files.createDirectories(dataDir.resolve("tls"));
        issued.write(dataDir.resolve("tls/cert.pem"), dataDir.resolve("tls/key.pem"));

        assertThat(open().certificateChain()).containsExactlyElementsOf(issued.chain());

        authority.issue("CN=localhost", "EC").write(dataDir.resolve("x.pem"), dataDir.resolve("tls/key.pem"));
        assertThatExceptionOfType(TlsException.class).isThrownBy(this::open).withMessageContaining("does not belong");
        assertThat(read(dataDir.resolve("tls/cert.pem"))).isEqualTo(issued.certificate());
    }

    @Test
    void gatewaysThatStartAtOnceEndWithTheSame() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        CyclicBarrier start = new CyclicBarrier(4);
        List<Future<String>> opened = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            opened.add(threads.submit(() -> {
                start.await(10, TimeUnit.SECONDS);
                return TlsMaterial.open(settings(), clock, new ManualScheduler())
                        .fingerprint();
            }));
        }
        Set<String> fingerprints = new HashSet<>();
        for (Future<String> each : opened) {
            fingerprints.add(each.get(20, TimeUnit.SECONDS));
        }
        threads.shutdownNow();

        assertThat(fingerprints).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({"localhost, TLSv1.2", "localhost, TLSv1.3", "127.0.0.1, TLSv1.2", "127.0.0.1, TLSv1.3"})
    void aClientThatTrustsItAsARootConnectsByNameAndAddress(String host, String protocol) throws Exception {
        try (TlsServer server = new TlsServer(open())) {
            X509Certificate root = read(dataDir.resolve("tls/cert.pem"));

            TlsServer.Seen seen = server.connect(host, protocol, root, null);

            assertThat(seen).isEqualTo(new TlsServer.Seen(protocol, root, "nobody"));
            assertThatExceptionOfType(SSLException.class)
                    .isThrownBy(() -> server.connect("other.example", protocol, root, null));
        }
    }

    @Test
    void aDataDirectoryThatCannotBeWrittenIsNamed() throws IOException {
        Files.createFile(dataDir.resolve("tls"));

        assertThatExceptionOfType(TlsException.class)
                .isThrownBy(this::open)
                .withMessageStartingWith("weir.data-dir: no self-signed certificate can be made in ");
    }

    private TlsMaterial open() {
        return TlsMaterial.open(settings(), clock, scheduler);
    }

    private TlsSettings settings() {
        return new TlsSettings(dataDir, null, null, null);
    }

    private String mode(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(dataDir.resolve(file)));
    }

    private static X509Certificate read(Path file) {
        try {
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(file)));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
