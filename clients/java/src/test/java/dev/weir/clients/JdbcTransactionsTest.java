package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Transactions and temporary tables over JDBC. The driver's own commit, rollback and autocommit do nothing (18.3), so
 * transactions are made by statements.
 */
@Timeout(60)
class JdbcTransactionsTest {

    private final Gateway gateway = Gateway.shared();
    private Connection one;
    private Connection two;

    @BeforeEach
    void connect() throws SQLException {
        one = Jdbc.connect(gateway, Gateway.WRITER, Gateway.PASSWORD, new Properties());
        two = Jdbc.connect(gateway, Gateway.WRITER, Gateway.PASSWORD, new Properties());
        run(one, "create or replace table jdbc_t (n int)");
    }

    @AfterEach
    void close() throws SQLException {
        one.close();
        two.close();
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        }
    }

    private static String count(Connection connection) throws SQLException {
        return Cells.rows(connection, "select count(*) from jdbc_t").get(0).get(0);
    }

    @Test
    void aCommittedTransactionIsSeen() throws SQLException {
        run(one, "begin");
        run(one, "insert into jdbc_t values (1)");
        assertThat(count(one)).isEqualTo("1");
        assertThat(count(two)).isEqualTo("0");
        run(one, "commit");
        assertThat(count(two)).isEqualTo("1");
    }

    @Test
    void aRolledBackTransactionIsNot() throws SQLException {
        run(one, "begin transaction");
        run(one, "insert into jdbc_t values (1)");
        run(one, "rollback");
        assertThat(count(one)).isEqualTo("0");
    }

    @Test
    void aTransactionSeesOneState() throws SQLException {
        run(one, "begin");
        assertThat(count(one)).isEqualTo("0");
        run(two, "insert into jdbc_t values (1)");
        assertThat(count(one)).isEqualTo("0");
        run(one, "commit");
        assertThat(count(one)).isEqualTo("1");
    }

    /** So that a driver that gets them right is noticed: the documentation says what this one does. */
    @Test
    void theDriversOwnCallsDoNothing() throws SQLException {
        one.setAutoCommit(false);
        run(one, "insert into jdbc_t values (1)");
        one.rollback();
        assertThat(count(two)).isEqualTo("1");
        one.commit();
        one.setAutoCommit(true);
        assertThat(count(one)).isEqualTo("1");
    }

    @Test
    void temporaryTablesAreTheConnections() throws SQLException {
        run(one, "create temp table jdbc_mine as select 3 as n");
        assertThat(Cells.rows(one, "select n from jdbc_mine")).containsExactly(List.of("3"));
        assertThatThrownBy(() -> Cells.rows(two, "select n from jdbc_mine"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("jdbc_mine");
    }

    @Test
    void aConnectionThatClosesIsRolledBack() throws SQLException {
        Connection leaving = Jdbc.connect(gateway, Gateway.WRITER, Gateway.PASSWORD, new Properties());
        run(leaving, "begin");
        run(leaving, "insert into jdbc_t values (1)");
        leaving.close();
        assertThat(count(one)).isEqualTo("0");
    }

    @Test
    void aResultSetThatIsClosedEarlyIsNoConflict() throws SQLException {
        run(one, "begin");
        try (Statement statement = one.createStatement();
                var rows = statement.executeQuery("select i, repeat('x', 1000) from range(5000000) t(i)")) {
            assertThat(rows.next()).isTrue();
        }
        assertThat(count(one)).isEqualTo("0");
        run(one, "commit");
    }
}
