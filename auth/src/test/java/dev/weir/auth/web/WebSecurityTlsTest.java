package dev.weir.auth.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.auth.tls.TestAuthority;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.tls.TlsSettings;
import io.netty.handler.ssl.SslContextBuilder;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import reactor.netty.http.client.HttpClient;

/** The TLS material in Netty, and client certificates as identities. */
class WebSecurityTlsTest {

    @TempDir
    private Path dataDir;

    private final TestAuthority clients = new TestAuthority("clients");
    private final FakeAuthenticator authenticator = new FakeAuthenticator();
    private TlsMaterial tls;
    private SecuredServer server;

    @BeforeEach
    void start() throws Exception {
        Path ca = dataDir.resolve("ca.pem");
        TestAuthority.writePem(ca, List.of(clients.certificate()));
        tls = TlsMaterial.open(new TlsSettings(dataDir, null, null, ca), Clock.systemUTC());
        server = new SecuredServer(authenticator, tls);
    }

    @AfterEach
    void stop() {
        server.close();
        tls.close();
        authenticator.close();
    }

    @Test
    void aClientCertificateStandsForItsCommonName() throws Exception {
        assertThat(get(clients.issue("CN=writer,O=Example", "EC"), null)).isEqualTo("200 writer writer");
        assertThat(get(clients.issue("CN=admin", "RSA"), null)).isEqualTo("200 admin admin");
    }

    @Test
    void anAuthorizationHeaderGoesBeforeTheCertificate() throws Exception {
        assertThat(get(clients.issue("CN=writer", "EC"), "Bearer reader")).isEqualTo("200 reader reader");
    }

    @Test
    void withoutCertificateTheHeaderDecides() throws Exception {
        assertThat(get(null, "Bearer reader")).isEqualTo("200 reader reader");
        assertThat(get(null, null)).isEqualTo("401 MISSING");
    }

    @Test
    void aCertificateWithoutCommonNameIsRefused() throws Exception {
        assertThat(get(clients.issue("O=Example", "EC"), null)).isEqualTo("401 WRONG");
    }

    private String get(TestAuthority.Issued own, String authorization) throws Exception {
        SslContextBuilder context = SslContextBuilder.forClient()
                .trustManager(tls.certificateChain().toArray(new X509Certificate[0]));
        if (own != null) {
            context.keyManager(own.key(), own.chain().toArray(new X509Certificate[0]));
        }
        var built = context.build();
        HttpClient http = HttpClient.newConnection().secure(spec -> spec.sslContext(built));
        EntityExchangeResult<String> result = WebTestClient.bindToServer(new ReactorClientHttpConnector(http))
                .baseUrl("https://localhost:" + server.port())
                .responseTimeout(Duration.ofSeconds(10))
                .build()
                .get()
                .uri("/v1/queries")
                .headers(headers -> {
                    if (authorization != null) {
                        headers.set(HttpHeaders.AUTHORIZATION, authorization);
                    }
                })
                .exchange()
                .expectBody(String.class)
                .returnResult();
        return result.getStatus().value() + " " + result.getResponseBody();
    }
}
