package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.worker.WorkerSettings;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker behind TLS. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemoteTlsTest {

    private static final char[] PASSWORD = "password".toCharArray();

    private Path directory;
    private Loopback loopback;
    private KeyStore keys;

    @BeforeAll
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary;
        keys = selfSigned("worker", "ip:127.0.0.1");
        loopback = new Loopback(
                directory,
                Loopback.settings(8, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(8), keyManager(keys)));
    }

    @AfterAll
    void close() {
        loopback.close();
    }

    private KeyStore selfSigned(String name, String alternative) throws Exception {
        Path file = directory.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        new String(PASSWORD),
                        "-alias",
                        name,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "SAN=" + alternative)
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            store.load(in, PASSWORD);
        }
        return store;
    }

    private static KeyManager keyManager(KeyStore store) throws Exception {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, PASSWORD);
        return factory.getKeyManagers()[0];
    }

    private static TrustManager trust(KeyStore store) throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        String alias = store.aliases().nextElement();
        trusted.setCertificateEntry(alias, store.getCertificate(alias));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        return factory.getTrustManagers()[0];
    }

    private static List<List<Object>> run(RemoteEngine engine) {
        return Rows.of(engine, Loopback.query("select 1", 10, QueryContext.NONE));
    }

    private static void assertUnavailable(RemoteEngine engine) {
        assertThatThrownBy(() -> run(engine))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.UNAVAILABLE));
    }

    @Test
    void queriesRunOverTls() throws Exception {
        RemoteEngine engine = loopback.connect(trust(keys), "127.0.0.1");
        assertThat(run(engine)).containsExactly(List.of(1));
        assertThat(Rows.count(Rows.await(engine.execute(Loopback.query(
                                "select i, 'row ' || i from range(2000000) t(i)", 20_000, QueryContext.NONE))
                        .result())))
                .isEqualTo(2_000_000);
    }

    @Test
    void aCertificateThatIsNotTrustedIsRefused() throws Exception {
        KeyStore other = selfSigned("other", "ip:127.0.0.1");
        RemoteEngine engine = loopback.connect(trust(other), "127.0.0.1");
        assertUnavailable(engine);
        assertThatThrownBy(() -> run(engine)).hasMessageContaining("TLS");
    }

    @Test
    void aCertificateOfAnotherNameIsRefused() throws Exception {
        assertUnavailable(loopback.connect(trust(keys), "localhost"));
    }

    @Test
    void plaintextIsRefused() {
        assertUnavailable(loopback.connect());
    }
}
