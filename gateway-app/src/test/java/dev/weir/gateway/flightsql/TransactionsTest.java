package dev.weir.gateway.flightsql;

import static dev.weir.gateway.flightsql.StatementsTest.assertStatus;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.flightsql.FakeQueries.Script;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.arrow.flight.CloseSessionRequest;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlClient.Transaction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** BeginTransaction, EndTransaction, and the statements between: which session each goes to. */
class TransactionsTest {

    private final FrontHarness harness = new FrontHarness();
    private FlightSqlClient ann;
    private CredentialCallOption token;

    @BeforeEach
    void scripts() {
        harness.queries.scripts.put("numbers", Script.numbers(1, 1));
        harness.queries.scripts.put("change", Script.update(3));
        harness.queries.scripts.put(
                "create temp",
                new Script(
                        dev.weir.engine.StatementKind.SESSION,
                        FakeQueries.NONE,
                        FakeQueries.NONE,
                        0,
                        0,
                        java.util.OptionalLong.empty()));
        FlightClient client = harness.flight();
        token = client.authenticateBasicToken("ann", FakeAuthenticator.passwordOf("ann"))
                .orElseThrow();
        ann = new FlightSqlClient(client);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
        assertThat(harness.queries.sessions).allMatch(session -> session.closed);
    }

    private FakeSession session(int number) {
        return harness.queries.sessions.get(number);
    }

    @Test
    void statementsGoToTheSessionOfTheirTransaction() throws Exception {
        Transaction transaction = ann.beginTransaction(token);
        assertThat(ann.executeUpdate("change", transaction, token)).isEqualTo(3);
        FlightInfo info = ann.execute("numbers", transaction, token);
        FrontHarness.numbers(ann.getStream(info.getEndpoints().get(0).getTicket(), token));
        ann.commit(transaction, token);
        assertThat(session(0).statements).containsExactly("change", "numbers");
        assertThat(session(0).ends).containsExactly("commit");
        assertThat(session(0).closed).isFalse();
        ann.executeUpdate("change", token);
        assertThat(harness.queries.sessions).hasSize(1);
    }

    @Test
    void aTicketOfATransactionEndsWithIt() {
        Transaction transaction = ann.beginTransaction(token);
        FlightInfo info = ann.execute("numbers", transaction, token);
        ann.rollback(transaction, token);
        assertStatus(
                () -> ann.getStream(info.getEndpoints().get(0).getTicket(), token)
                        .next(),
                FlightStatusCode.NOT_FOUND,
                "no such transaction");
        assertThat(session(0).ends).containsExactly("rollback");
    }

    @Test
    void anEndedTransactionIsUnknown() {
        Transaction transaction = ann.beginTransaction(token);
        ann.commit(transaction, token);
        assertStatus(() -> ann.commit(transaction, token), FlightStatusCode.NOT_FOUND, "no such transaction");
        assertStatus(() -> ann.rollback(transaction, token), FlightStatusCode.NOT_FOUND, "no such transaction");
        assertStatus(
                () -> ann.executeUpdate("change", transaction, token),
                FlightStatusCode.NOT_FOUND,
                "no such transaction");
        assertStatus(
                () -> ann.commit(new Transaction("guess".getBytes(StandardCharsets.UTF_8)), token),
                FlightStatusCode.NOT_FOUND,
                "no such transaction");
    }

    @Test
    void aTransactionIsItsUsers() {
        Transaction transaction = ann.beginTransaction(token);
        assertStatus(
                () -> harness.as("bob").executeUpdate("change", transaction),
                FlightStatusCode.NOT_FOUND,
                "no such transaction");
        assertStatus(() -> harness.as("bob").commit(transaction), FlightStatusCode.NOT_FOUND, "no such transaction");
        ann.commit(transaction, token);
    }

    @Test
    void aSecondTransactionHasASessionThatEndsWithIt() {
        Transaction one = ann.beginTransaction(token);
        Transaction other = ann.beginTransaction(token);
        ann.executeUpdate("change", other, token);
        assertThat(session(0).statements).isEmpty();
        assertThat(session(1).statements).containsExactly("change");
        ann.commit(other, token);
        assertThat(session(1).closed).isTrue();
        ann.commit(one, token);
        assertThat(session(0).closed).isFalse();
    }

    @Test
    void aClientThatKeepsNothingHasATransactionToo() {
        FlightSqlClient client = harness.as("ann");
        Transaction transaction = client.beginTransaction();
        assertThat(client.executeUpdate("change", transaction)).isEqualTo(3);
        client.commit(transaction);
        assertThat(session(0).ends).containsExactly("commit");
        assertThat(session(0).closed).isTrue();
    }

    @Test
    void aPreparedStatementOutlivesItsTransaction() {
        Transaction transaction = ann.beginTransaction(token);
        FlightSqlClient.PreparedStatement prepared = ann.prepare("change", transaction, token);
        assertThat(prepared.executeUpdate(token)).isEqualTo(3);
        ann.commit(transaction, token);
        Transaction next = ann.beginTransaction(token);
        assertThat(prepared.executeUpdate(token)).isEqualTo(3);
        assertThat(session(0).statements).containsExactly("change", "change");
        prepared.close(token);
        ann.rollback(next, token);
    }

    @Test
    void aStatementThatNeedsASessionGetsOne() {
        ann.executeUpdate("create temp", token);
        assertThat(session(0).statements).containsExactly("create temp");
        ann.executeUpdate("change", token);
        assertThat(session(0).statements).containsExactly("create temp", "change");
    }

    @Test
    void withoutCookieOrBearerItHasNone() {
        harness.as("ann").executeUpdate("create temp");
        assertThat(harness.queries.sessions).isEmpty();
    }

    @Test
    void aTicketIsRedeemedInTheSessionThatItNeeds() throws Exception {
        ann.executeUpdate("create temp", token);
        session(0).temporary = true;
        FlightInfo info = ann.execute("numbers", token);
        FrontHarness.read(harness.as("ann"), info);
        assertThat(session(0).statements).containsExactly("create temp", "numbers");
        assertStatus(
                () -> harness.as("bob")
                        .getStream(info.getEndpoints().get(0).getTicket())
                        .next(),
                FlightStatusCode.UNAUTHORIZED,
                "");
    }

    @Test
    void closingTheSessionEndsItsTransaction() {
        Transaction transaction = ann.beginTransaction(token);
        ann.closeSession(new CloseSessionRequest(), token);
        assertThat(session(0).closed).isTrue();
        assertStatus(() -> ann.commit(transaction, token), FlightStatusCode.NOT_FOUND, "no such transaction");
    }

    @Test
    void anUnusedSessionIsClosedWithWhatItHolds() {
        Transaction transaction = ann.beginTransaction(token);
        harness.clock.advance(Duration.ofMinutes(61));
        assertStatus(() -> ann.commit(transaction, token), FlightStatusCode.NOT_FOUND, "no such transaction");
        org.awaitility.Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> session(0).closed);
    }
}
