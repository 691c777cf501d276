package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements through JDBC: parameters, updates, empty and large results, errors, cancel. */
@Timeout(60)
class JdbcStatementsTest {

    private final Gateway gateway = Gateway.shared();
    private Connection reader;
    private Connection writer;

    @BeforeEach
    void connect() throws SQLException {
        reader = Jdbc.connect(gateway, Gateway.READER);
        writer = Jdbc.connect(gateway, Gateway.WRITER);
    }

    @AfterEach
    void disconnect() throws SQLException {
        reader.close();
        writer.close();
    }

    @Test
    void parametersOfEveryUsualTypeReachTheStatement() throws SQLException {
        try (PreparedStatement statement = reader.prepareStatement(
                "select ?::integer + 1, ?::bigint, ?::varchar || '!', ?::date + 1, ?::decimal(10,2) * 2, ?::double,"
                        + " ?::boolean, ?::integer is null")) {
            statement.setInt(1, 41);
            statement.setLong(2, Long.MAX_VALUE);
            statement.setString(3, "größe 日本");
            statement.setDate(4, Date.valueOf("2024-02-28"));
            statement.setBigDecimal(5, new BigDecimal("12.34"));
            statement.setDouble(6, 0.1);
            statement.setBoolean(7, true);
            statement.setNull(8, Types.INTEGER);
            try (ResultSet result = statement.executeQuery()) {
                assertThat(Cells.rows(result))
                        .containsExactly(List.of(
                                "42",
                                "9223372036854775807",
                                "größe 日本!",
                                "2024-02-29",
                                "24.68",
                                "0.1",
                                "true",
                                "true"));
            }
        }
    }

    @Test
    void aPreparedStatementServesManyExecutions() throws SQLException {
        try (PreparedStatement statement =
                reader.prepareStatement("select count(*) from lineitem where l_orderkey = ?")) {
            List<Long> counts = new ArrayList<>();
            for (int key : new int[] {1, 2, 3, 4}) {
                statement.setLong(1, key);
                try (ResultSet result = statement.executeQuery()) {
                    assertThat(result.next()).isTrue();
                    counts.add(result.getLong(1));
                }
            }
            assertThat(counts).containsExactly(6L, 1L, 6L, 1L);
        }
    }

    @Test
    void updatesReportTheRowsTheyChanged() throws SQLException {
        try (Statement statement = writer.createStatement()) {
            assertThat(statement.executeUpdate("insert into scratch select i, 'new' from range(1000, 1100) t(i)"))
                    .isEqualTo(100);
            assertThat(statement.executeUpdate("update scratch set note = 'old' where id between 1000 and 1049"))
                    .isEqualTo(50);
            assertThat(statement.executeUpdate("delete from scratch where id >= 1000"))
                    .isEqualTo(100);
        }
    }

    @Test
    void aPreparedUpdateTakesParameters() throws SQLException {
        try (PreparedStatement insert = writer.prepareStatement("insert into scratch values (?, ?)");
                Statement statement = writer.createStatement()) {
            insert.setInt(1, 2000);
            insert.setString(2, "one");
            assertThat(insert.executeUpdate()).isEqualTo(1);
            assertThat(Cells.rows(writer, "select note from scratch where id = 2000"))
                    .containsExactly(List.of("one"));
            assertThat(statement.executeUpdate("delete from scratch where id = 2000"))
                    .isEqualTo(1);
        }
    }

    @Test
    void tablesCanBeMadeAndDropped() throws SQLException {
        try (Statement statement = writer.createStatement()) {
            statement.execute("create table made (a integer)");
            statement.execute("insert into made values (1), (2)");
            assertThat(Cells.rows(writer, "select sum(a) from made")).containsExactly(List.of("3"));
            statement.execute("drop table made");
            assertThatThrownBy(() -> Cells.rows(writer, "select * from made")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void anEmptyResultHasItsColumns() throws SQLException {
        try (Statement statement = reader.createStatement();
                ResultSet result = statement.executeQuery("select n_name, n_nationkey from nation where false")) {
            // Driver 18.3 lists the columns of an empty result twice, whoever serves it; so their number is not asked.
            assertThat(result.getMetaData().getColumnName(1)).isEqualTo("n_name");
            assertThat(result.getMetaData().getColumnType(2)).isEqualTo(Types.INTEGER);
            assertThat(result.next()).isFalse();
        }
    }

    @Test
    void aLargeResultArrivesWhole() throws SQLException {
        try (Statement statement = reader.createStatement();
                ResultSet result = statement.executeQuery("select l_orderkey, l_extendedprice from lineitem")) {
            long rows = 0;
            BigDecimal sum = BigDecimal.ZERO;
            while (result.next()) {
                rows++;
                sum = sum.add(result.getBigDecimal(2));
            }
            assertThat(rows).isEqualTo(600_572);
            assertThat(List.of(sum.toPlainString()))
                    .isEqualTo(Cells.rows(reader, "select sum(l_extendedprice) from lineitem")
                            .get(0));
        }
    }

    @Test
    void oneConnectionHasSeveralResultsOpen() throws SQLException {
        try (Statement first = reader.createStatement();
                Statement second = reader.createStatement();
                ResultSet outer = first.executeQuery("select n_nationkey from nation order by 1")) {
            int rows = 0;
            while (outer.next()) {
                try (ResultSet inner =
                        second.executeQuery("select n_name from nation where n_nationkey = " + outer.getInt(1))) {
                    assertThat(inner.next()).isTrue();
                    rows++;
                }
            }
            assertThat(rows).isEqualTo(25);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "select * from nowhere | nowhere",
                "select nothing from nation | nothing",
                "selekt 1 | selekt",
                "select 1; select 2 | one statement",
            })
    void aFaultyStatementIsExplained(String sql, String reason) {
        assertThatThrownBy(() -> Cells.rows(reader, sql))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining(reason);
    }

    @Test
    void aFailureInTheMiddleOfAStreamReachesTheReader() {
        assertThatThrownBy(() -> Cells.rows(
                        reader, "select error('row ' || i) from range(5000000) t(i) where i < 10 or i = 4000000"))
                .isInstanceOf(Exception.class);
    }

    @Test
    void aReaderCannotWrite() {
        assertThatThrownBy(() -> {
                    try (Statement statement = reader.createStatement()) {
                        statement.executeUpdate("delete from scratch");
                    }
                })
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("reader");
    }

    @Test
    void theConnectionWorksOnAfterAnError() throws SQLException {
        assertThatThrownBy(() -> Cells.rows(reader, "select * from nowhere")).isInstanceOf(SQLException.class);
        assertThat(Cells.rows(reader, "select 42")).containsExactly(List.of("42"));
    }

    @Test
    void cancelEndsARunningStatement() throws Exception {
        try (Statement statement = reader.createStatement()) {
            CompletableFuture<Void> running = CompletableFuture.runAsync(() -> {
                try (ResultSet result = statement.executeQuery(
                        "select count(*) from lineitem a, lineitem b where a.l_comment < b.l_comment")) {
                    result.next();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            HttpStatus.awaitRunning(gateway, Gateway.READER, 1);
            statement.cancel();
            assertThat(running).failsWithin(20, TimeUnit.SECONDS);
            HttpStatus.awaitRunning(gateway, Gateway.READER, 0);
        }
    }

    @Test
    void aQueryTimeoutEndsTheQuery() throws Exception {
        try (Statement statement = reader.createStatement()) {
            statement.setQueryTimeout(1);
            assertThatThrownBy(() -> Cells.rows(statement.executeQuery(
                            "select count(*) from lineitem a, lineitem b where a.l_comment < b.l_comment")))
                    .isInstanceOf(SQLException.class)
                    .hasStackTraceContaining("SQLTimeoutException");
        }
        HttpStatus.awaitRunning(gateway, Gateway.READER, 0);
    }

    @Test
    void closingAResultEarlyFreesItsQuery() throws Exception {
        try (Statement statement = reader.createStatement();
                ResultSet result = statement.executeQuery("select * from lineitem a, range(1000)")) {
            assertThat(result.next()).isTrue();
        }
        HttpStatus.awaitRunning(gateway, Gateway.READER, 0);
    }

    @Test
    void manyConnectionsWorkAtOnce() throws Exception {
        int clients = 24;
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<CompletableFuture<List<List<String>>>> answers = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                int key = i;
                answers.add(CompletableFuture.supplyAsync(() -> answer(key), threads));
            }
            for (int i = 0; i < clients; i++) {
                assertThat(answers.get(i).get(50, TimeUnit.SECONDS))
                        .containsExactly(List.of(Integer.toString(i), "600572"));
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private List<List<String>> answer(int key) {
        try (Connection connection = Jdbc.connect(gateway, Gateway.READER)) {
            return Cells.rows(connection, "select " + key + ", count(*) from lineitem");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
