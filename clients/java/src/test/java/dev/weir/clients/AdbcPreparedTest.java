package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.adbc.core.AdbcException;
import org.apache.arrow.adbc.core.AdbcStatement;
import org.apache.arrow.adbc.core.AdbcStatusCode;
import org.apache.arrow.adbc.core.BulkIngestMode;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Prepared statements of the ADBC Java driver, which shows the password at preparing only (0.20): with a client
 * certificate its later calls are known, too.
 */
@Timeout(60)
class AdbcPreparedTest {

    private Adbc adbc;

    @BeforeEach
    void connect() throws Exception {
        adbc = Adbc.ofWriter();
        update("drop table if exists adbc_in");
    }

    @AfterEach
    void disconnect() throws Exception {
        update("drop table if exists adbc_in");
        adbc.close();
    }

    private void update(String sql) throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery(sql);
            statement.executeUpdate();
        }
    }

    private List<List<String>> query(String sql) throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery(sql);
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                return Cells.rows(result.getReader());
            }
        }
    }

    private BigIntVector numbers(String name, long... values) {
        BigIntVector vector = new BigIntVector(name, adbc.allocator());
        vector.allocateNew(values.length);
        for (int row = 0; row < values.length; row++) {
            vector.set(row, values[row]);
        }
        vector.setValueCount(values.length);
        return vector;
    }

    private VarCharVector texts(String name, String... values) {
        VarCharVector vector = new VarCharVector(name, adbc.allocator());
        vector.allocateNew();
        for (int row = 0; row < values.length; row++) {
            if (values[row] != null) {
                vector.setSafe(row, values[row].getBytes(StandardCharsets.UTF_8));
            }
        }
        vector.setValueCount(values.length);
        return vector;
    }

    @Test
    void boundParametersReachTheQueryAndAreDescribed() throws Exception {
        try (AdbcStatement statement = adbc.connection().createStatement();
                BigIntVector number = numbers("1", 41);
                VarCharVector text = texts("2", "größe")) {
            statement.setSqlQuery("select ?::bigint + 1, ?::varchar || '!'");
            statement.prepare();
            assertThat(statement.getParameterSchema().getFields())
                    .extracting(Field::getType)
                    .containsExactly(new ArrowType.Int(64, true), new ArrowType.Utf8());
            statement.bind(VectorSchemaRoot.of(number, text));
            for (int execution = 0; execution < 2; execution++) {
                try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                    assertThat(Cells.rows(result.getReader())).containsExactly(List.of("42", "größe!"));
                }
            }
        }
    }

    @Test
    void rowsOfParametersAreOneUpdate() throws Exception {
        update("create table adbc_in (i bigint, s varchar)");
        try (AdbcStatement statement = adbc.connection().createStatement();
                BigIntVector number = numbers("1", 1, 2, 3);
                VarCharVector text = texts("2", "a", null, "c")) {
            statement.setSqlQuery("insert into adbc_in values (?, ?)");
            statement.prepare();
            statement.bind(VectorSchemaRoot.of(number, text));
            assertThat(statement.executeUpdate().getAffectedRows()).isEqualTo(3);
        }
        assertThat(query("from adbc_in order by i"))
                .containsExactly(List.of("1", "a"), List.of("2", "NULL"), List.of("3", "c"));
    }

    private long ingest(BulkIngestMode mode) throws Exception {
        try (AdbcStatement statement = adbc.connection().bulkIngest("adbc_in", mode);
                BigIntVector number = numbers("i", 1, 2);
                VarCharVector text = texts("s", "a", null)) {
            statement.bind(VectorSchemaRoot.of(number, text));
            return statement.executeUpdate().getAffectedRows();
        }
    }

    @Test
    void ingestMakesATableOrAppends() throws Exception {
        assertThat(ingest(BulkIngestMode.CREATE)).isEqualTo(2);
        assertThatThrownBy(() -> ingest(BulkIngestMode.CREATE))
                .isInstanceOfSatisfying(
                        AdbcException.class, e -> assertThat(e.getStatus()).isEqualTo(AdbcStatusCode.ALREADY_EXISTS));
        assertThat(ingest(BulkIngestMode.APPEND)).isEqualTo(2);
        assertThat(query("select count(*), count(s) from adbc_in")).containsExactly(List.of("4", "2"));
    }

    /** Driver 0.20 takes the other modes for APPEND: it neither makes nor empties a table for them. */
    @ParameterizedTest
    @EnumSource(
            value = BulkIngestMode.class,
            names = {"REPLACE", "CREATE_APPEND"})
    void otherModesOnlyAppendWithThisDriver(BulkIngestMode mode) throws Exception {
        assertThatThrownBy(() -> ingest(mode)).isInstanceOf(AdbcException.class);
        ingest(BulkIngestMode.CREATE);
        assertThat(ingest(mode)).isEqualTo(2);
        assertThat(query("select count(*) from adbc_in")).containsExactly(List.of("4"));
    }

    @Test
    void withAPasswordOnlyTheLaterCallsAreUnknown() throws Exception {
        try (Adbc other = new Adbc(Gateway.shared(), Gateway.WRITER, Gateway.PASSWORD)) {
            AdbcStatement statement = other.connection().createStatement();
            statement.setSqlQuery("select 1");
            statement.prepare();
            assertThatThrownBy(statement::executeQuery)
                    .isInstanceOfSatisfying(
                            AdbcException.class,
                            e -> assertThat(e.getStatus()).isEqualTo(AdbcStatusCode.UNAUTHENTICATED));
            assertThatThrownBy(statement::close).hasMessageContaining("Credentials");
        }
    }

    /** Nothing tells the calls of this connection from another's: it has neither a bearer nor a cookie. */
    @Test
    void aCertificateAloneHasNoSession() {
        assertThatThrownBy(() -> update("begin"))
                .isInstanceOf(AdbcException.class)
                .hasMessageContaining("session");
    }
}
