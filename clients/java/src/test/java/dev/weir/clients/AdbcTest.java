package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.adbc.core.AdbcConnection.GetObjectsDepth;
import org.apache.arrow.adbc.core.AdbcException;
import org.apache.arrow.adbc.core.AdbcStatement;
import org.apache.arrow.adbc.core.AdbcStatusCode;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The ADBC Java driver. Its allocator checks at the end of each test that nothing leaked.
 *
 * <p>Driver 0.20 has no table schemas, table types, transactions of its own or cancel. Prepared statements and what it
 * makes of them, parameters and bulk ingest, are in {@link AdbcPreparedTest}.
 */
@Timeout(60)
class AdbcTest {

    private static Connection own;

    private Adbc adbc;

    @BeforeAll
    static void open() throws Exception {
        own = Database.open(Gateway.shared().copyOfDatabase());
    }

    @AfterAll
    static void close() throws Exception {
        own.close();
    }

    @BeforeEach
    void connect() throws Exception {
        adbc = new Adbc(Gateway.shared(), Gateway.WRITER, Gateway.PASSWORD);
    }

    @AfterEach
    void disconnect() throws Exception {
        adbc.close();
    }

    static List<Integer> queries() {
        return Tpch.numbers();
    }

    private List<List<String>> query(String sql) throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery(sql);
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                return Cells.rows(result.getReader());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void everyTpchCellIsThatOfDuckDb(int number) throws Exception {
        String sql = Tpch.sql(number);
        assertThat(query(sql)).isEqualTo(Cells.rows(own, sql));
    }

    @Test
    void aLargeResultArrivesWhole() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery("select * from lineitem");
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                ArrowReader reader = result.getReader();
                long rows = 0;
                while (reader.loadNextBatch()) {
                    rows += reader.getVectorSchemaRoot().getRowCount();
                }
                assertThat(rows).isEqualTo(600_572);
            }
        }
    }

    @Test
    void anEmptyResultHasItsSchema() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery("select n_name, n_nationkey from nation where false");
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                assertThat(result.getReader().getVectorSchemaRoot().getSchema().getFields())
                        .extracting(Field::getName)
                        .containsExactly("n_name", "n_nationkey");
                assertThat(Cells.rows(result.getReader())).isEmpty();
            }
        }
    }

    @Test
    void updatesReportTheRowsTheyChanged() throws Exception {
        assertThat(update("insert into scratch select i, 'adbc' from range(5000, 5010) t(i)"))
                .isEqualTo(10);
        assertThat(update("delete from scratch where id between 5000 and 5009")).isEqualTo(10);
    }

    private long update(String sql) throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery(sql);
            return statement.executeUpdate().getAffectedRows();
        }
    }

    private String objects(GetObjectsDepth depth) throws Exception {
        try (ArrowReader reader = adbc.connection().getObjects(depth, null, null, "nation", null, null)) {
            return Cells.rows(reader).toString();
        }
    }

    @Test
    void objectsAreListedDownToTheirTables() throws Exception {
        assertThat(objects(GetObjectsDepth.CATALOGS)).contains("demo").doesNotContain("main", "system", "temp");
        assertThat(objects(GetObjectsDepth.DB_SCHEMAS))
                .contains("main", "other")
                .doesNotContain("nation");
        assertThat(objects(GetObjectsDepth.TABLES))
                .contains("\"table_name\":\"nation\",\"table_type\":\"TABLE\"")
                .doesNotContain("n_name");
    }

    @Test
    void objectsAreListedDownToTheirColumns() throws Exception {
        assertThat(AdbcColumns.ask(Gateway.shared()))
                .contains("\"table_name\":\"nation\"", "n_nationkey", "n_name", "n_regionkey", "n_comment");
    }

    @Test
    void theSchemaIsKnownBeforeTheQueryRuns() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery("select n_name, n_nationkey from nation, range(1000000000)");
            assertThat(statement.executeSchema().getFields())
                    .extracting(Field::getName)
                    .containsExactly("n_name", "n_nationkey");
        }
        HttpStatus.awaitRunning(Gateway.shared(), Gateway.WRITER, 0);
    }

    @Test
    void aPartitionDescriptorIsReadByAnotherConnection() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement();
                Adbc other = new Adbc(Gateway.shared(), Gateway.WRITER, Gateway.PASSWORD)) {
            statement.setSqlQuery("select * from nation");
            AdbcStatement.PartitionResult result = statement.executePartitioned();
            assertThat(result.getSchema().getFields()).hasSize(4);
            assertThat(result.getPartitionDescriptors()).hasSize(1);
            ByteBuffer descriptor = result.getPartitionDescriptors().get(0).getDescriptor();
            try (ArrowReader reader = other.connection().readPartition(descriptor)) {
                assertThat(Cells.rows(reader)).hasSize(25);
            }
        }
    }

    /** The driver's own commit, rollback and autocommit are not implemented (0.20). */
    @Test
    void transactionsAreStatements() throws Exception {
        assertThatThrownBy(() -> adbc.connection().setAutoCommit(false))
                .isInstanceOfSatisfying(
                        AdbcException.class, e -> assertThat(e.getStatus()).isEqualTo(AdbcStatusCode.NOT_IMPLEMENTED));
        update("begin");
        update("insert into scratch values (6000, 'adbc')");
        assertThat(query("select count(*) from scratch where id = 6000")).containsExactly(List.of("1"));
        update("rollback");
        assertThat(query("select count(*) from scratch where id = 6000")).containsExactly(List.of("0"));
    }

    @Test
    void aFaultyStatementHasItsStatus() {
        assertThatThrownBy(() -> query("select * from nowhere"))
                .isInstanceOfSatisfying(
                        AdbcException.class, e -> assertThat(e.getStatus()).isEqualTo(AdbcStatusCode.INVALID_ARGUMENT))
                .hasMessageContaining("nowhere");
    }

    @Test
    void aWrongPasswordHasItsStatus() {
        assertThatThrownBy(() -> new Adbc(Gateway.shared(), Gateway.READER, "wrong").close())
                .isInstanceOfSatisfying(
                        AdbcException.class, e -> assertThat(e.getStatus()).isEqualTo(AdbcStatusCode.UNAUTHENTICATED));
    }

    @Test
    void closingAResultEarlyFreesItsQuery() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery("select * from lineitem, range(1000)");
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                assertThat(result.getReader().loadNextBatch()).isTrue();
            }
        }
        HttpStatus.awaitRunning(Gateway.shared(), Gateway.WRITER, 0);
    }

    @Test
    void statementsOfOneConnectionRunOneAfterAnother() throws Exception {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            answers.add(query("select " + i).get(0).get(0));
        }
        assertThat(answers).hasSize(20).startsWith("0", "1", "2");
    }
}
