package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.Priority;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.flightsql.FakeQueries.Script;
import java.time.Duration;
import java.util.Map;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.CloseSessionResult;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.GetSessionOptionsRequest;
import org.apache.arrow.flight.SessionOptionValue;
import org.apache.arrow.flight.SessionOptionValueFactory;
import org.apache.arrow.flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.SetSessionOptionsResult;
import org.apache.arrow.flight.client.ClientCookieMiddleware;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SessionsTest {

    private final FrontHarness harness = new FrontHarness();

    @BeforeEach
    void scripts() {
        harness.queries.scripts.put("numbers", Script.numbers(1, 1));
        harness.queries.scripts.put("SELECT 1", Script.numbers(1, 1));
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void optionsHoldForTheClientsLaterStatements() throws Exception {
        FlightSqlClient client = withCookies("ann");

        assertThat(set(client, Map.of("catalog", text("lake"), "schema", text("raw")))
                        .hasErrors())
                .isFalse();
        FrontHarness.read(client, client.execute("numbers"));
        client.prepare("numbers").close();

        SessionSettings expected = new SessionSettings("lake", "raw", null);
        assertThat(harness.queries.last().request.settings()).isEqualTo(expected);
        assertThat(harness.queries.described).allMatch(one -> one.settings().equals(expected));
        assertThat(options(client)).containsEntry("catalog", text("lake")).containsEntry("schema", text("raw"));
    }

    @Test
    void clientsDoNotSeeEachOthersOptions() throws Exception {
        FlightSqlClient one = withCookies("ann");
        FlightSqlClient other = withCookies("ann");
        set(one, Map.of("catalog", text("lake")));

        FrontHarness.read(other, other.execute("numbers"));

        assertThat(harness.queries.last().request.settings()).isEqualTo(SessionSettings.NONE);
        assertThat(options(other)).isEmpty();
    }

    @Test
    void aCookieOfAnotherUserIsWorthNothing() throws Exception {
        FlightSqlClient ann = withCookies("ann");
        set(ann, Map.of("catalog", text("lake")));
        String cookie = FlightSessions.COOKIE_NAME + "=guess";
        FlightSqlClient bob = harness.as("bob", "cookie", cookie);

        assertThat(options(bob)).isEmpty();
    }

    @Test
    void withoutCookiesTheBearerOfTheConnectionKeepsTheSession() throws Exception {
        FlightClient client = harness.flight();
        var bearer = client.authenticateBasicToken("ann", FakeAuthenticator.passwordOf("ann"))
                .orElseThrow();
        FlightSqlClient sql = new FlightSqlClient(client);

        sql.setSessionOptions(new SetSessionOptionsRequest(Map.of("schema", text("raw"))), bearer);
        sql.execute("numbers", bearer);

        assertThat(harness.queries
                        .described
                        .get(harness.queries.described.size() - 1)
                        .settings()
                        .schema())
                .isEqualTo("raw");
        sql.closeSession(new CloseSessionRequest(), bearer);
        sql.execute("numbers", bearer);
        assertThat(harness.queries
                        .described
                        .get(harness.queries.described.size() - 1)
                        .settings())
                .isEqualTo(SessionSettings.NONE);
    }

    @Test
    void whatCannotBeSetIsNamedAndTheRestIsSet() throws Exception {
        FlightSqlClient client = withCookies("ann");

        SetSessionOptionsResult result = set(
                client,
                Map.of(
                        "colour", text("blue"),
                        "timeZone", text("Mars/Olympus"),
                        "schema", text("raw"),
                        "weir-timeout", text("soon"),
                        "weir-memory", text("64MB"),
                        "weir-class", text("heavy"),
                        "weir-priority", text("low")));

        assertThat(result.getErrors()).hasSize(3);
        assertThat(result.getErrors().get("colour").value).isEqualTo(SetSessionOptionsResult.ErrorValue.INVALID_NAME);
        assertThat(result.getErrors().get("timeZone").value)
                .isEqualTo(SetSessionOptionsResult.ErrorValue.INVALID_VALUE);
        assertThat(result.getErrors().get("weir-timeout").value)
                .isEqualTo(SetSessionOptionsResult.ErrorValue.INVALID_VALUE);
        FrontHarness.read(client, client.execute("numbers"));
        assertThat(harness.queries.last().request.settings().schema()).isEqualTo("raw");
        assertThat(harness.queries.last().request.memoryBytes()).hasValue(64L << 20);
        assertThat(harness.queries.last().request.heavy()).isTrue();
        assertThat(harness.queries.last().request.priority()).isEqualTo(Priority.LOW);
        assertThat(options(client))
                .containsEntry("weir-class", text("heavy"))
                .containsEntry("weir-priority", text("low"));
    }

    @Test
    void aCatalogThatDoesNotExistIsNotTaken() throws Exception {
        FlightSqlClient client = withCookies("ann");
        set(client, Map.of("catalog", text("lake")));

        SetSessionOptionsResult result = set(client, Map.of("catalog", text("nowhere"), "timeZone", text("UTC")));

        assertThat(result.getErrors()).containsOnlyKeys("catalog");
        assertThat(options(client)).containsEntry("catalog", text("lake")).containsEntry("timeZone", text("UTC"));
    }

    @Test
    void anotherCatalogForgetsTheSchemaOfTheOneBefore() throws Exception {
        FlightSqlClient client = withCookies("ann");
        set(client, Map.of("catalog", text("lake"), "schema", text("raw")));

        set(client, Map.of("catalog", text("other")));

        assertThat(options(client)).containsOnlyKeys("catalog");
    }

    @Test
    void anOptionIsTakenAwayByNoValue() throws Exception {
        FlightSqlClient client = withCookies("ann");
        set(client, Map.of("schema", text("raw")));

        set(client, Map.of("schema", SessionOptionValueFactory.makeEmptySessionOptionValue()));

        assertThat(options(client)).isEmpty();
    }

    @Test
    void closingAlwaysSucceedsAndFreesEverything() throws Exception {
        FlightSqlClient client = withCookies("ann");
        set(client, Map.of("schema", text("raw")));
        FlightSqlClient.PreparedStatement statement = client.prepare("numbers");

        assertThat(client.closeSession(new CloseSessionRequest()).getStatus())
                .isEqualTo(CloseSessionResult.Status.CLOSED);
        assertThat(options(client)).isEmpty();
        StatementsTest.assertStatus(
                statement::execute, org.apache.arrow.flight.FlightStatusCode.NOT_FOUND, "no such prepared statement");
        assertThat(client.closeSession(new CloseSessionRequest()).getStatus())
                .isEqualTo(CloseSessionResult.Status.CLOSED);
        assertThat(harness.as("bob").closeSession(new CloseSessionRequest()).getStatus())
                .isEqualTo(CloseSessionResult.Status.CLOSED);
    }

    @Test
    void anUnusedSessionExpires() throws Exception {
        FlightSqlClient client = withCookies("ann");
        set(client, Map.of("schema", text("raw")));
        harness.clock.advance(Duration.ofMinutes(61));

        assertThat(options(client)).isEmpty();
    }

    private FlightSqlClient withCookies(String user) {
        FlightClient.Builder builder = FlightClient.builder().intercept(new ClientCookieMiddleware.Factory());
        return new FlightSqlClient(
                harness.flight(builder, "authorization", FrontHarness.basic(user, FakeAuthenticator.passwordOf(user))));
    }

    private static SetSessionOptionsResult set(FlightSqlClient client, Map<String, SessionOptionValue> options) {
        return client.setSessionOptions(new SetSessionOptionsRequest(options));
    }

    private static Map<String, SessionOptionValue> options(FlightSqlClient client) {
        return client.getSessionOptions(new GetSessionOptionsRequest()).getSessionOptions();
    }

    private static SessionOptionValue text(String value) {
        return SessionOptionValueFactory.makeSessionOptionValue(value);
    }
}
