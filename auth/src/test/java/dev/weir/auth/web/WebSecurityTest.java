package dev.weir.auth.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpHeaders;
import org.springframework.test.web.reactive.server.EntityExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;

class WebSecurityTest {

    private static FakeAuthenticator authenticator;
    private static SecuredServer server;
    private static WebTestClient client;

    @BeforeAll
    static void start() throws Exception {
        authenticator = new FakeAuthenticator();
        server = new SecuredServer(authenticator, null);
        client = WebTestClient.bindToServer()
                .baseUrl("http://localhost:" + server.port())
                .responseTimeout(Duration.ofSeconds(10))
                .build();
    }

    @AfterAll
    static void stop() {
        server.close();
        authenticator.close();
    }

    @Test
    void basicAndBearerGiveTheIdentityByPrincipalAndByAttribute() {
        assertThat(get("/v1/queries", basic("reader:secret"))).isEqualTo("200 reader reader");
        assertThat(get("/v1/queries", "Bearer writer")).isEqualTo("200 writer writer");
    }

    @ParameterizedTest
    @CsvSource({
        "reader:wrong, 401 WRONG",
        "reader:slow wrong, 401 WRONG",
        "reader:busy, 429 BUSY",
        "reader:, 401 MISSING",
        "reader, 401 MALFORMED"
    })
    void refusedPasswordsGoThroughTheEntryPointWithTheirReason(String userAndPassword, String answer) {
        assertThat(get("/v1/queries", basic(userAndPassword))).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({
        "Bearer expired, 401 EXPIRED",
        "Basic %%%, 401 MALFORMED",
        "Digest x, 401 MALFORMED",
        "Bearer, 401 MALFORMED"
    })
    void refusedHeadersGoThroughTheEntryPointWithTheirReason(String header, String answer) {
        assertThat(get("/v1/queries", header)).isEqualTo(answer);
    }

    @Test
    void aRequestWithoutCredentialsGoesThroughTheEntryPoint() {
        EntityExchangeResult<String> result = exchange("/v1/queries");

        assertThat(answer(result)).isEqualTo("401 MISSING");
        assertThat(result.getResponseHeaders().get(HttpHeaders.WWW_AUTHENTICATE))
                .containsExactly("Basic realm=\"test\"");
    }

    @Test
    void aHugeHeaderIsRefused() {
        assertThat(get("/v1/queries", "Bearer " + "x".repeat(9000))).isEqualTo("401 MALFORMED");
    }

    @Test
    void twoAuthorizationHeadersAreRefused() {
        assertThat(get("/v1/queries", "Bearer reader", "Bearer admin")).isEqualTo("401 MALFORMED");
    }

    @ParameterizedTest
    @CsvSource({
        "/livez, 200 nobody nobody",
        "/actuator/health, 200 nobody nobody",
        "/actuator/health/liveness, 200 nobody nobody",
        "/livez/x, 401 MISSING",
        "/actuator/healthx, 401 MISSING",
        "/actuator/prometheus, 401 MISSING",
        "/, 401 MISSING",
        "/admin/x, 401 MISSING"
    })
    void onlyTheAnonymousPathsNeedNoCredentials(String path, String answer) {
        assertThat(get(path)).isEqualTo(answer);
    }

    @Test
    void credentialsOnAnonymousPathsAreNotLookedAt() {
        assertThat(get("/livez", basic("reader:wrong"))).isEqualTo("200 nobody nobody");
        assertThat(get("/actuator/health/readiness", "broken")).isEqualTo("200 nobody nobody");
    }

    @ParameterizedTest
    @CsvSource({
        "reader, /admin/limits, 403 DENIED",
        "writer, /admin/limits, 403 DENIED",
        "admin, /admin/limits, 200 admin admin",
        "reader, /admin, 403 DENIED",
        "reader, /administration, 200 reader reader",
        "admin, /v1/queries, 200 admin admin"
    })
    void adminPathsAreForAdmins(String bearer, String path, String answer) {
        assertThat(get(path, "Bearer " + bearer)).isEqualTo(answer);
    }

    @ParameterizedTest
    @CsvSource({"/%61dmin/limits", "/admin//limits", "/x/../admin/limits", "/admin/;a=b/limits", "//admin/limits"})
    void noSpellingOfAnAdminPathLetsOthersIn(String path) {
        String answer = answer(client.get()
                .uri(java.net.URI.create("http://localhost:" + server.port() + path))
                .header(HttpHeaders.AUTHORIZATION, "Bearer reader")
                .exchange()
                .expectBody(String.class)
                .returnResult());

        assertThat(answer)
                .satisfiesAnyOf(
                        a -> assertThat(a).startsWith("403"), a -> assertThat(a).startsWith("400"));
    }

    @Test
    void aRequestGoesOnOnAThreadThatDoesNotHash() {
        for (int i = 0; i < 20; i++) {
            EntityExchangeResult<String> result = exchange("/v1/queries", basic("reader:slow secret"));

            assertThat(answer(result)).isEqualTo("200 reader reader");
            assertThat(result.getResponseHeaders().getFirst("X-Thread")).isNotEqualTo(FakeAuthenticator.HASHING_THREAD);
        }
    }

    @Test
    void postsNeedNoCsrfToken() {
        client.post()
                .uri("/v1/queries")
                .header(HttpHeaders.AUTHORIZATION, "Bearer reader")
                .bodyValue("select 1")
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    void nothingIsKeptBetweenRequests() {
        EntityExchangeResult<String> first = exchange("/v1/queries", "Bearer reader");

        assertThat(first.getResponseCookies()).isEmpty();
        assertThat(get("/v1/queries")).isEqualTo("401 MISSING");
    }

    @Test
    void thereIsNoLoginOrLogoutPage() {
        assertThat(get("/login")).isEqualTo("401 MISSING");
        assertThat(get("/login", "Bearer reader")).isEqualTo("200 reader reader");
        assertThat(get("/logout", "Bearer reader")).isEqualTo("200 reader reader");
    }

    @Test
    void answersAreNeitherCachedNorGuessed() {
        HttpHeaders headers = exchange("/v1/queries", "Bearer reader").getResponseHeaders();

        assertThat(headers.get(HttpHeaders.CACHE_CONTROL)).containsExactly("no-store");
        assertThat(headers.get("X-Content-Type-Options")).containsExactly("nosniff");
        assertThat(headers.get("Strict-Transport-Security")).isNull();
        assertThat(headers.get("X-Frame-Options")).isNull();
    }

    private static String get(String path, String... authorization) {
        return answer(exchange(path, authorization));
    }

    private static EntityExchangeResult<String> exchange(String path, String... authorization) {
        return client.get()
                .uri(path)
                .headers(headers -> headers.addAll(HttpHeaders.AUTHORIZATION, List.of(authorization)))
                .exchange()
                .expectBody(String.class)
                .returnResult();
    }

    private static String answer(EntityExchangeResult<String> result) {
        return result.getStatus().value() + " " + result.getResponseBody();
    }

    private static String basic(String userAndPassword) {
        return "Basic " + Base64.getEncoder().encodeToString(userAndPassword.getBytes(StandardCharsets.UTF_8));
    }
}
