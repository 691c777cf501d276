package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.ArrowStreamWriter;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every type arrives as its value, as text, or is refused; never wrong. */
class DuckDbTypesTest extends DuckDbTestBase {

    /** Values beyond Arrow: refused, see the tests below. */
    private static final String REFUSED = "hugeint, date_array, timestamp_array, timestamptz_array";

    private EngineException failure(String sql) {
        return failure(Access.READ, sql);
    }

    @Test
    void everyTypeArrivesAsDuckDbPrintsIt() throws Exception {
        assertSame("select * exclude (" + REFUSED + ", tuple) from test_all_types()");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 5::hugeint as h, [7::hugeint, null] as hs, {'a': 99999999999999999999999999999999999999::hugeint} as s",
                "select [1::uhugeint, null] as a, {'t': '12:00:00+02'::timetz, 'e': 'a'::enum('a', 'b')} as b",
                "select map {'k': 340282366920938463463374607431768211455::uhugeint} as m",
                "select union_value(a := 1::uhugeint) as u union all select null",
                "select ['101'::bit] as b, [123456789012345678901234567890123456789012345::bignum] as n",
                "select interval '3 months 2 days 1 second' as i, [interval '1 day'] as l",
                "select '{\"a\": 1}'::json as j, uuid() is not null as u",
                "select sum(i) as s from range(10) t(i)",
                "select 'x'::enum('x', 'y') as e from range(3)",
                "select [1, 2, null]::int[3] as a, [[1], null, []] as l, {'a': null::int} as s, null as n",
                "select timestamptz '2024-07-01 12:00:00+02' as t, time '23:59:59.999999' as u, date '0044-03-15 (BC)' as d"
            })
    void castsKeepTheValue(String sql) throws Exception {
        assertSame(sql);
    }

    /** Sends the engine's result through Arrow IPC back into a DuckDB and compares what that prints for each cell. */
    private void assertSame(String sql) throws Exception {
        try (BufferAllocator memory = new RootAllocator();
                DuckDBConnection plain = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = plain.createStatement()) {
            statement.execute("set timezone = 'UTC'");
            byte[] ipc = ipc(sql);
            try (ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(ipc), memory);
                    ArrowArrayStream stream = ArrowArrayStream.allocateNew(memory)) {
                Data.exportArrayStream(memory, reader, stream);
                plain.registerArrowStream("answer", stream);
                List<List<String>> actual = texts(statement, "from answer");
                assertThat(actual).isEqualTo(texts(statement, "from (" + sql + ")"));
                assertThat(actual).isNotEmpty();
            }
        }
    }

    private byte[] ipc(String sql) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ArrowResult result =
                        Rows.await(engine.execute(EngineQuery.read("q", sql)).result());
                ArrowStreamWriter writer = new ArrowStreamWriter(result.root(), result.dictionaries(), bytes)) {
            writer.start();
            while (Rows.await(result.next())) {
                writer.writeBatch();
            }
            writer.end();
        }
        return bytes.toByteArray();
    }

    private static List<List<String>> texts(Statement statement, String from) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        try (ResultSet result = statement.executeQuery("select columns(*)::varchar " + from)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
                    row.add(result.getMetaData().getColumnName(i) + "=" + result.getString(i));
                }
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void describingEqualsExecutingForEveryType() throws Exception {
        List<String> expressions = new ArrayList<>();
        try (DuckDBConnection plain = (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:");
                Statement statement = plain.createStatement();
                ResultSet columns =
                        statement.executeQuery("select column_name from (describe select * from test_all_types())")) {
            while (columns.next()) {
                expressions.add('"' + columns.getString(1) + "\" from test_all_types() where false");
            }
        }
        expressions.add("null");
        expressions.add("1::variant");
        expressions.add("'{}'::json");
        expressions.add("[{'a': [1::uhugeint], 'e': 'x'::enum('x')}]");
        expressions.add("{'quoted \"name\"': 1, 'B c': [2]}");
        expressions.add("map {[1]: {'a': map {1: 'x'}}}");
        expressions.add("1 as \"a \"\"b\"\" c\", 2 as \"\u00e9\", 3 as \"a \"\"b\"\" c\"");
        expressions.add("'POINT(1 2)'::geometry");
        for (String expression : expressions) {
            EngineQuery query = EngineQuery.read("q", "select " + expression);
            Schema described = Rows.await(engine.describe(query).result()).schema();
            try (ArrowResult result = Rows.await(engine.execute(query).result())) {
                assertThat(result.schema()).as(expression).isEqualTo(described);
            }
        }
    }

    @Test
    void returnedColumnsAreCastToo() {
        Rows.of(engine, change("create table t (h uhugeint, e enum('a', 'b'), t timetz)"));
        assertThat(
                        Rows.of(
                                engine,
                                change(
                                        "insert into t values (340282366920938463463374607431768211455, 'b', '12:00:00+02') returning *")))
                .containsExactly(List.of("340282366920938463463374607431768211455", "b", "12:00:00+02"));
    }

    private static EngineQuery change(String sql) {
        return new EngineQuery("q", sql, Access.WRITE, SessionSettings.NONE, List.of(), 1000);
    }

    @Test
    void hugeintsUpTo38DigitsAreDecimals() {
        String most = "9".repeat(38);
        assertThat(Rows.of(engine, EngineQuery.read("q", "select " + most + "::hugeint, -" + most + "::hugeint")))
                .containsExactly(List.of(new BigDecimal(most), new BigDecimal("-" + most)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 100000000000000000000000000000000000000::hugeint as bad",
                "select -100000000000000000000000000000000000000::hugeint as bad",
                "select (-170141183460469231731687303715884105728)::hugeint as bad",
                "select 1 as a, [1, 170141183460469231731687303715884105727::hugeint] as bad",
                "select {'x': {'y': 170141183460469231731687303715884105727::hugeint}} as bad",
                "select map {'k': 170141183460469231731687303715884105727::hugeint} as bad",
                "select 'infinity'::date as bad",
                "select '-infinity'::date as bad",
                "select 'infinity'::timestamp as bad",
                "select '-infinity'::timestamptz as bad",
                "select 'infinity'::timestamp_ns as bad",
                "select 'infinity'::timestamp_s as bad",
                "select ['infinity'::date] as bad"
            })
    void valuesBeyondArrowAreRefusedByName(String sql) {
        EngineException failure = failure(sql);
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure.getMessage()).contains("\"bad\"").contains("cast it to VARCHAR");
    }

    @Test
    void intervalsBeyondArrowAreRefused() {
        EngineException failure = failure("select to_microseconds(9223372036854775807) as bad");
        assertThat(failure.getMessage()).contains("cast it to VARCHAR");
    }

    @Test
    void namesSurviveTheCastsAroundThem() {
        EngineQuery query = EngineQuery.read("q", "select 1::uhugeint as a, 2 as a, 3::bit as \"x\"\"y\" -- the end");
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            assertThat(result.schema().getFields()).extracting("name").containsExactly("a", "a", "x\"y");
        }
    }

    @Test
    void orderSurvivesTheCastsAroundIt() {
        List<List<Object>> rows =
                Rows.of(engine, EngineQuery.read("q", "select i::uhugeint from range(100000) t(i) order by i desc"));
        assertThat(rows.get(0)).containsExactly("99999");
        assertThat(rows.get(99_999)).containsExactly("0");
    }

    @Test
    void timestampsWithZoneCarryTheSessionsZone() {
        SessionSettings berlin = new SessionSettings(null, null, "Europe/Berlin");
        EngineQuery query = new EngineQuery(
                "q",
                "select now() as t, '2024-07-01 12:00:00'::timestamptz::varchar as s",
                Access.READ,
                berlin,
                List.of(),
                10);
        Schema described = Rows.await(engine.describe(query).result()).schema();
        assertThat(((ArrowType.Timestamp) described.findField("t").getType()).getTimezone())
                .isEqualTo("Europe/Berlin");
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            assertThat(result.schema()).isEqualTo(described);
            assertThat(Rows.await(result.next())).isTrue();
            assertThat(result.root().getVector("s").getObject(0)).hasToString("2024-07-01 12:00:00+02");
        }
    }

    @Test
    void aPivotIsDescribedByItsData() {
        Rows.of(engine, change("create table pivoted (i int, k varchar, v uhugeint)"));
        Rows.of(engine, change("insert into pivoted values (1, 'x', 5), (1, 'y', 6)"));
        EngineQuery query = EngineQuery.read("q", "pivot pivoted on k using max(v)");
        Schema described = Rows.await(engine.describe(query).result()).schema();
        assertThat(described.getFields()).extracting("name").containsExactly("i", "x", "y");
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            assertThat(result.schema()).isEqualTo(described);
        }
        assertThat(Rows.of(engine, query)).containsExactly(List.of(1, "5", "6"));
    }

    @Test
    void untypedParametersTakeTheirValuesType() {
        EngineQuery query = new EngineQuery(
                "q", "select ? as a, ? as b", Access.READ, SessionSettings.NONE, List.of(List.of(5, "x")), 10);
        Schema described = Rows.await(engine.describe(query).result()).schema();
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            assertThat(result.schema()).isEqualTo(described);
        }
        assertThat(Rows.of(engine, query)).containsExactly(List.of(5, "x"));
    }

    @Test
    void wideBatchesAreServedInSlices() {
        EngineQuery query = EngineQuery.read("q", "select i, repeat('x', 2000) s, [i, i] l from range(40000) t(i)");
        long expected = 0;
        try (ArrowResult result = Rows.await(engine.execute(query).result())) {
            while (Rows.await(result.next())) {
                long bytes = result.root().getFieldVectors().stream()
                        .mapToLong(v -> v.getBufferSize())
                        .sum();
                assertThat(bytes).isLessThan(BatchSource.MAX_SLICE_BYTES);
                for (int row = 0; row < result.root().getRowCount(); row++) {
                    assertThat(result.root().getVector("i").getObject(row)).isEqualTo(expected);
                    assertThat(result.root().getVector("l").getObject(row)).isEqualTo(List.of(expected, expected));
                    expected++;
                }
            }
        }
        assertThat(expected).isEqualTo(40_000);
    }

    @Test
    void aSingleRowBeyondTheSliceIsDelivered() {
        List<List<Object>> rows = Rows.of(engine, EngineQuery.read("q", "select repeat('x', 20000000) from range(3)"));
        assertThat(rows)
                .hasSize(3)
                .allSatisfy(row -> assertThat(row.get(0).toString()).hasSize(20_000_000));
    }
}
