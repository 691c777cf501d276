package dev.weir.gateway.cli.tpch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TpchDatabaseTest {

    @TempDir
    static Path shared;

    private static Path database;
    private static final List<String> PROGRESS = new ArrayList<>();

    @TempDir
    Path directory;

    @BeforeAll
    static void makeTheSmallestScale() throws TpchException {
        database = shared.resolve("small.duckdb");
        TpchDatabase.create(0.01, database, false, new TpchProgress() {
            @Override
            public void tableDone(String table, long rows) {
                PROGRESS.add(table + " " + rows);
            }
        });
    }

    @Test
    void everyTableIsReportedWithItsRows() {
        assertThat(PROGRESS)
                .containsExactly(
                        "region 5",
                        "nation 25",
                        "supplier 100",
                        "customer 1500",
                        "part 2000",
                        "partsupp 8000",
                        "orders 15000",
                        "lineitem 60175");
    }

    /** Checked against the tpch extension of DuckDB 1.5.5: all columns but comments and addresses are equal to its. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "select count(*), count(distinct l_orderkey), sum(l_quantity) from lineitem | 60175, 15000, 1536127.00",
                "select min(l_shipdate), max(l_receiptdate) from lineitem | 1992-01-04, 1998-12-25",
                "select o_orderkey, o_orderdate from orders order by 1 limit 1 | 1, 1996-01-02",
                "select n_name from nation where n_nationkey = 24 | UNITED STATES",
                "select count(*) from partsupp, part, supplier where ps_partkey = p_partkey and ps_suppkey = s_suppkey"
                        + " | 8000",
            })
    void theRowsAreThoseOfTheBenchmark(String sql, String expected) throws SQLException {
        assertThat(row(sql)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "lineitem, l_linenumber, BIGINT",
        "lineitem, l_extendedprice, 'DECIMAL(15,2)'",
        "lineitem, l_shipdate, DATE",
        "orders, o_orderkey, BIGINT",
        "orders, o_shippriority, INTEGER",
        "partsupp, ps_availqty, BIGINT",
        "part, p_size, INTEGER",
        "customer, c_nationkey, INTEGER",
        "region, r_regionkey, INTEGER",
        "region, r_comment, VARCHAR",
    })
    void theTypesAreThoseOfDuckDbsOwnExtension(String table, String column, String type) throws SQLException {
        assertThat(row("select data_type from duckdb_columns() where table_name = '" + table + "' and column_name = '"
                        + column + "'"))
                .isEqualTo(type);
    }

    @Test
    void theRowsAreInTheOrderOfTheirKeys() throws SQLException {
        assertThat(row("select count(*) from (select o_orderkey < lag(o_orderkey) over (order by rowid) as back"
                        + " from orders) where back"))
                .isEqualTo("0");
    }

    @Test
    void nothingButTheFileIsLeft() throws IOException {
        assertThat(names(shared)).containsExactly("small.duckdb");
    }

    @Test
    void aFileThatExistsIsNotTouched() throws IOException {
        Path file = Files.writeString(directory.resolve("x.duckdb"), "mine");

        assertThatThrownBy(() -> TpchDatabase.create(0.01, file, false, TpchProgress.NONE))
                .isInstanceOf(TpchException.class)
                .hasMessageContaining("--force");
        assertThat(file).hasContent("mine");
        assertThat(names(directory)).containsExactly("x.duckdb");
    }

    @Test
    void aMissingDirectoryIsNamed() {
        assertThatThrownBy(() ->
                        TpchDatabase.create(0.01, directory.resolve("none").resolve("x"), false, TpchProgress.NONE))
                .isInstanceOf(TpchException.class)
                .hasMessageContaining("none does not exist");
    }

    @Test
    void aDirectoryIsNoFile() {
        assertThatThrownBy(() -> TpchDatabase.create(0.01, directory, true, TpchProgress.NONE))
                .isInstanceOf(TpchException.class)
                .hasMessageContaining("is a directory");
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.009, 100.1, -1, Double.NaN, Double.POSITIVE_INFINITY})
    void aScaleOutsideItsRangeIsRefused(double scale) {
        assertThatThrownBy(() -> TpchDatabase.create(scale, directory.resolve("x"), false, TpchProgress.NONE))
                .isInstanceOf(TpchException.class)
                .hasMessageContaining("scale");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void aFailureInTheMiddleLeavesNothing() {
        TpchProgress breaking = new TpchProgress() {
            @Override
            public void tableDone(String table, long rows) {
                throw new IllegalStateException("enough");
            }
        };

        assertThatThrownBy(() -> TpchDatabase.create(0.01, directory.resolve("x"), false, breaking))
                .hasMessage("enough");
        assertThat(directory).isEmptyDirectory();
    }

    private static String row(String sql) throws SQLException {
        Properties readOnly = new Properties();
        readOnly.setProperty("duckdb.read_only", "true");
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + database, readOnly);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (result.next()) {
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    values.add(result.getString(i));
                }
            }
            return String.join(", ", values);
        }
    }

    private static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
