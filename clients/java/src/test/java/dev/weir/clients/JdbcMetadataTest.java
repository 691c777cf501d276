package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What tools such as DBeaver ask through JDBC. */
@Timeout(60)
class JdbcMetadataTest {

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

    private static List<String> column(ResultSet result, String name) throws SQLException {
        try (result) {
            List<String> values = new ArrayList<>();
            while (result.next()) {
                values.add(result.getString(name));
            }
            return values;
        }
    }

    @Test
    void theProductNamesItself() throws SQLException {
        assertThat(metadata.getDatabaseProductName()).contains("Weir");
        assertThat(metadata.getDatabaseProductVersion()).isNotBlank();
        assertThat(metadata.getIdentifierQuoteString()).isEqualTo("\"");
        assertThat(metadata.supportsTransactions()).isTrue();
    }

    @Test
    void onlyUserCatalogsAreListed() throws SQLException {
        assertThat(column(metadata.getCatalogs(), "TABLE_CAT")).contains("demo").doesNotContain("system", "temp");
    }

    @Test
    void schemasAreListed() throws SQLException {
        assertThat(column(metadata.getSchemas("demo", null), "TABLE_SCHEM"))
                .contains("main", "other")
                .doesNotContain("information_schema", "pg_catalog");
    }

    @Test
    void tablesAreFoundByPatternAndType() throws SQLException {
        assertThat(column(metadata.getTables("demo", "main", "part%", new String[] {"TABLE"}), "TABLE_NAME"))
                .containsExactlyInAnyOrder("part", "partsupp");
        assertThat(column(metadata.getTables("demo", "main", "nation%", null), "TABLE_NAME"))
                .containsExactlyInAnyOrder("nation", "nations");
        assertThat(column(metadata.getTables("demo", "main", "%", new String[] {"VIEW"}), "TABLE_NAME"))
                .containsExactly("nations");
        assertThat(column(metadata.getTables("demo", "main", "nation", null), "TABLE_TYPE"))
                .containsExactly("TABLE");
        assertThat(column(metadata.getTables(null, null, "things", null), "TABLE_SCHEM"))
                .containsExactly("other");
        assertThat(column(metadata.getTables("demo", "main", "none", null), "TABLE_NAME"))
                .isEmpty();
    }

    @Test
    void tableTypesAreListed() throws SQLException {
        assertThat(column(metadata.getTableTypes(), "TABLE_TYPE")).contains("TABLE", "VIEW");
    }

    @Test
    void columnsHaveNamesTypesAndOrder() throws SQLException {
        assertThat(column(metadata.getColumns("demo", "main", "nation", "%"), "COLUMN_NAME"))
                .containsExactly("n_nationkey", "n_name", "n_regionkey", "n_comment");
        try (ResultSet result = metadata.getColumns("demo", "main", "lineitem", "l_extendedprice")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt("DATA_TYPE")).isEqualTo(Types.DECIMAL);
            assertThat(result.getInt("COLUMN_SIZE")).isEqualTo(15);
            assertThat(result.getInt("DECIMAL_DIGITS")).isEqualTo(2);
            assertThat(result.next()).isFalse();
        }
        try (ResultSet result = metadata.getColumns("demo", "main", "nation", "n_nationkey")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt("DATA_TYPE")).isEqualTo(Types.INTEGER);
            assertThat(result.getInt("COLUMN_SIZE")).isEqualTo(10);
            assertThat(result.getInt("NUM_PREC_RADIX")).isEqualTo(10);
        }
        try (ResultSet result = metadata.getColumns("demo", "main", "keyed", "%")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getInt("NULLABLE")).isEqualTo(DatabaseMetaData.columnNoNulls);
        }
    }

    @Test
    void patternCharactersCanBeEscaped() throws SQLException {
        String escape = metadata.getSearchStringEscape();
        assertThat(column(
                        metadata.getTables("demo", "other", "odd" + escape + "%" + escape + "_table", null),
                        "TABLE_NAME"))
                .containsExactly("odd%_table");
        assertThat(column(metadata.getTables("demo", "other", "odd%_table", null), "TABLE_NAME"))
                .containsExactlyInAnyOrder("odd%_table", "oddxytable");
    }

    @Test
    void everyTableHasItsColumnsAtOnce() throws SQLException {
        assertThat(column(metadata.getColumns("demo", "main", "%", "%"), "COLUMN_NAME"))
                .contains("l_orderkey", "c_hugeint", "r_comment")
                .hasSizeGreaterThan(61 + 30);
    }

    @Test
    void keyCallsAnswer() throws SQLException {
        metadata.getPrimaryKeys("demo", "main", "keyed").close();
        metadata.getImportedKeys("demo", "main", "child").close();
        metadata.getExportedKeys("demo", "main", "keyed").close();
        metadata.getCrossReference("demo", "main", "keyed", "demo", "main", "child")
                .close();
    }

    @Test
    void ownTemporaryTablesAreListed() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("create temp table mine_temp (i int)");
        }
        assertThat(column(metadata.getTables(null, null, "mine%", null), "TABLE_NAME"))
                .containsExactly("mine_temp");
        assertThat(column(metadata.getColumns(null, null, "mine%", null), "COLUMN_NAME"))
                .containsExactly("i");
        try (Connection other = Jdbc.connect(Gateway.shared(), Gateway.READER)) {
            assertThat(column(other.getMetaData().getTables(null, null, "mine%", null), "TABLE_NAME"))
                    .isEmpty();
        }
    }
}
