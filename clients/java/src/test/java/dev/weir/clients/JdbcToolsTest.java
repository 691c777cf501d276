package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What DBeaver, Metabase and Tableau send on connect, while they browse, and for a chart, through the JDBC driver. */
@Timeout(60)
class JdbcToolsTest {

    private Connection connection;
    private DatabaseMetaData metadata;

    @BeforeEach
    void connect() throws SQLException {
        connection = Jdbc.connect(Gateway.shared(), Gateway.READER);
        metadata = connection.getMetaData();
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
    }

    private static List<String> column(ResultSet result, int index) throws SQLException {
        try (result) {
            List<String> values = new ArrayList<>();
            while (result.next()) {
                values.add(result.getString(index));
            }
            return values;
        }
    }

    /** How a connection is made ready by a pool or a tool. */
    @Test
    void aConnectionIsPreparedForReading() throws SQLException {
        connection.setReadOnly(true);
        connection.setAutoCommit(true);
        connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT);
        assertThat(metadata.supportsTransactionIsolationLevel(Connection.TRANSACTION_REPEATABLE_READ))
                .isTrue();
        assertThat(metadata.supportsTransactionIsolationLevel(Connection.TRANSACTION_READ_UNCOMMITTED))
                .isFalse();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertThat(connection.isValid(5)).isTrue();
        assertThat((Object) connection.getWarnings()).isNull();
    }

    @Test
    void dbeaverBrowsesTheCatalog() throws SQLException {
        assertThat(metadata.getSQLKeywords()).isNotEmpty();
        assertThat(metadata.getStringFunctions()).contains("SUBSTRING");
        assertThat(metadata.getCatalogTerm()).isEqualTo("database");
        assertThat(metadata.supportsCatalogsInDataManipulation()).isTrue();
        assertThat(metadata.supportsSchemasInDataManipulation()).isTrue();
        assertThat(metadata.storesMixedCaseQuotedIdentifiers()).isFalse();
        assertThat(column(metadata.getCatalogs(), 1)).contains("demo");
        assertThat(column(metadata.getSchemas("demo", "%"), 1)).contains("main", "other");
        assertThat(column(metadata.getTables("demo", "main", "%", null), 3)).contains("lineitem", "nations");
        assertThat(column(metadata.getColumns("demo", "main", "keyed", "%"), 4)).containsExactly("id", "name");
        assertThat(column(metadata.getPrimaryKeys("demo", "main", "keyed"), 4)).containsExactly("id");
        assertThat(column(metadata.getImportedKeys("demo", "main", "child"), 8)).containsExactly("parent");
        for (ResultSet none : List.of(
                metadata.getIndexInfo("demo", "main", "keyed", false, true),
                metadata.getProcedures("demo", "main", "%"),
                metadata.getFunctions("demo", "main", "%"),
                metadata.getUDTs("demo", "main", "%", null),
                metadata.getBestRowIdentifier("demo", "main", "keyed", DatabaseMetaData.bestRowSession, true))) {
            assertThat(column(none, 1)).isEmpty();
        }
    }

    @Test
    void dbeaverPagesThroughATable() throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.setFetchSize(200);
            statement.setMaxRows(200);
            try (ResultSet result = statement.executeQuery("SELECT x.* FROM demo.main.lineitem x")) {
                assertThat(result.getMetaData().getColumnLabel(1)).isEqualTo("l_orderkey");
                assertThat(Cells.rows(result)).hasSize(200);
            }
        }
        HttpStatus.awaitRunning(Gateway.shared(), Gateway.READER, 0);
    }

    @Test
    void metabaseSynchronisesTheSchema() throws SQLException {
        assertThat(Cells.rows(connection, "SELECT 1")).containsExactly(List.of("1"));
        assertThat(Cells.rows(
                        connection,
                        "SELECT table_name, table_schema FROM information_schema.tables"
                                + " WHERE LOWER(table_catalog) = LOWER('demo')"))
                .contains(List.of("lineitem", "main"), List.of("things", "other"));
        assertThat(Cells.rows(connection, "DESCRIBE \"main\".\"nation\""))
                .extracting(row -> row.get(0) + ' ' + row.get(1))
                .containsExactly("n_nationkey INTEGER", "n_name VARCHAR", "n_regionkey INTEGER", "n_comment VARCHAR");
        assertThat(Cells.rows(
                        connection,
                        "SELECT column_name AS name, ordinal_position - 1 AS position, data_type AS \"database-type\""
                                + " FROM information_schema.columns WHERE table_schema = 'main' AND table_name = 'region'"
                                + " ORDER BY ordinal_position"))
                .containsExactly(
                        List.of("r_regionkey", "0", "INTEGER"),
                        List.of("r_name", "1", "VARCHAR"),
                        List.of("r_comment", "2", "VARCHAR"));
    }

    @Test
    void metabaseAsksAQuestionWithItsFilters() throws SQLException {
        String question = "-- Metabase:: userID: 1 queryType: MBQL queryHash: 0123\n"
                + "SELECT DATE_TRUNC('month', \"main\".\"lineitem\".\"l_shipdate\") AS \"l_shipdate\", COUNT(*) AS \"count\""
                + " FROM \"main\".\"lineitem\" WHERE \"main\".\"lineitem\".\"l_shipdate\" >= ? AND"
                + " \"main\".\"lineitem\".\"l_shipmode\" = ? GROUP BY 1 ORDER BY 1 ASC LIMIT 2";
        try (PreparedStatement statement = connection.prepareStatement(question)) {
            statement.setDate(1, Date.valueOf("1998-01-01"));
            statement.setString(2, "AIR");
            try (ResultSet result = statement.executeQuery()) {
                assertThat(result.next()).isTrue();
                assertThat(result.getString("l_shipdate")).startsWith("1998-01-01");
                assertThat(result.getLong("count")).isPositive();
            }
        }
    }

    @Test
    void tableauReadsColumnsWithoutRows() throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT * FROM \"demo\".\"main\".\"lineitem\" \"lineitem\" WHERE (1=0)")) {
            ResultSetMetaData columns = statement.getMetaData();
            assertThat(columns.getColumnCount()).isEqualTo(16);
            assertThat(columns.getColumnName(1)).isEqualTo("l_orderkey");
            assertThat(columns.getColumnType(6)).isEqualTo(java.sql.Types.DECIMAL);
        }
        assertThat(
                        Cells.rows(
                                connection,
                                "SELECT \"nation\".\"n_name\" AS \"n_name\", SUM(\"nation\".\"n_nationkey\") AS"
                                        + " \"sum:n_nationkey:ok\" FROM \"main\".\"nation\" \"nation\" GROUP BY 1 ORDER BY 1 LIMIT 1"))
                .containsExactly(List.of("ALGERIA", "0"));
    }

    /** Of its two ways to make a temporary table the one works, and the other is refused without harm. */
    @Test
    void tableauProbesForTemporaryTables() throws SQLException {
        String name = "\"#Tableau_1_1_Connect_CheckCreateTempTableCap\"";
        try (Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.executeUpdate(
                            "CREATE LOCAL TEMPORARY TABLE " + name + " ( \"COL\" INTEGER ) ON COMMIT PRESERVE ROWS"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("LOCAL");
            assertThatThrownBy(() -> statement.executeQuery("SELECT * INTO \"#Tableau_2\" FROM (SELECT 1 AS COL) t"))
                    .isInstanceOf(SQLException.class);
            statement.executeUpdate("CREATE TEMPORARY TABLE " + name + " ( \"COL\" INTEGER ) ON COMMIT PRESERVE ROWS");
            assertThat(Cells.rows(connection, "SELECT COUNT(1) AS \"COL\" FROM " + name))
                    .containsExactly(List.of("0"));
            statement.executeUpdate("DROP TABLE temp." + name);
        }
        assertThat(Cells.rows(connection, "SELECT 1 AS \"COL\"")).containsExactly(List.of("1"));
    }

    /** A tool that keeps a pool of connections, with a statement open on each. */
    @Test
    void connectionsOfAPoolDoNotDisturbEachOther() throws SQLException {
        try (Connection second = Jdbc.connect(Gateway.shared(), Gateway.READER);
                Statement first = connection.createStatement();
                ResultSet open = first.executeQuery("select * from lineitem");
                Statement other = second.createStatement()) {
            assertThat(open.next()).isTrue();
            try (ResultSet result = other.executeQuery("select count(*) from lineitem")) {
                assertThat(result.next()).isTrue();
                assertThat(result.getLong(1)).isEqualTo(600_572);
            }
            assertThat(open.next()).isTrue();
        }
    }
}
