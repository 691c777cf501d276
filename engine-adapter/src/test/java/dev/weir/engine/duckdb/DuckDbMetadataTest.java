package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineSession;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.MetadataRequest.Kind;
import dev.weir.engine.Rows;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DuckDbMetadataTest extends DuckDbTestBase {

    @Override
    DuckDbSettings settings() throws Exception {
        // The view is broken by the time that the catalog is read from the file.
        DuckDbSettings settings = TestDatabases.file(directory.resolve("data"), directory.resolve("db.duckdb"));
        try (DuckDbEngine first = DuckDbEngine.open(settings)) {
            for (String sql : List.of(
                    "create schema other",
                    "create table p (a int, b varchar, c decimal(10,2) not null, primary key (a, b))",
                    "comment on table p is 'parents'",
                    "comment on column p.c is 'price'",
                    "create table f (x int, y varchar, z int unique, e enum('u', 'v'), foreign key (x, y) references p (a, b))",
                    "create table gone (i int)",
                    "create view broken as select i from gone",
                    "create view good as select a, [b] l from p",
                    "drop table gone",
                    "create table other.p (i int)")) {
                Rows.of(first, query(Access.WRITE, sql));
            }
        }
        return settings;
    }

    private List<List<Object>> answer(MetadataRequest request) {
        return Rows.drain(Rows.await(engine.metadata(request).result()));
    }

    private static MetadataRequest keys(Kind kind, String table) {
        return new MetadataRequest(kind, "db", "main", table, List.of(), false);
    }

    @Test
    void catalogsSchemasAndTables() {
        assertThat(answer(MetadataRequest.of(Kind.CATALOGS))).containsExactly(List.of("db"));
        assertThat(answer(MetadataRequest.of(Kind.SCHEMAS)))
                .containsExactly(List.of("db", "main"), List.of("db", "other"));
        assertThat(answer(new MetadataRequest(Kind.SCHEMAS, "nope", null, null, List.of(), false)))
                .isEmpty();
        assertThat(answer(new MetadataRequest(Kind.SCHEMAS, "", null, null, List.of(), false)))
                .isEmpty();
        assertThat(answer(MetadataRequest.of(Kind.TABLES)))
                .containsExactly(
                        List.of("db", "main", "broken", "VIEW"),
                        List.of("db", "main", "f", "TABLE"),
                        List.of("db", "main", "good", "VIEW"),
                        List.of("db", "main", "p", "TABLE"),
                        List.of("db", "other", "p", "TABLE"));
        assertThat(answer(new MetadataRequest(Kind.TABLES, "db", "o%", "p", List.of("TABLE"), false)))
                .containsExactly(List.of("db", "other", "p", "TABLE"));
    }

    @Test
    void tablesAreFoundByTheNameOfTheStandardToo() {
        assertThat(answer(new MetadataRequest(Kind.TABLES, "db", "main", null, List.of("BASE TABLE"), false)))
                .containsExactly(List.of("db", "main", "f", "TABLE"), List.of("db", "main", "p", "TABLE"));
        assertThat(answer(new MetadataRequest(Kind.TABLES, "db", "main", null, List.of("SYSTEM TABLE"), false)))
                .isEmpty();
    }

    @Test
    void tablesCarryTheirSchemas() {
        List<List<Object>> rows = answer(new MetadataRequest(Kind.TABLES, null, "main", null, List.of(), true));
        assertThat(rows).extracting(row -> row.get(2)).containsExactly("broken", "f", "good", "p");
        Schema p = schema(rows.get(3));
        assertThat(p.getFields()).extracting(Field::getName).containsExactly("a", "b", "c");
        Field price = p.findField("c");
        assertThat(price.isNullable()).isFalse();
        assertThat(price.getMetadata())
                .containsEntry("ARROW:FLIGHT:SQL:TYPE_NAME", "DECIMAL(10,2)")
                .containsEntry("ARROW:FLIGHT:SQL:PRECISION", "10")
                .containsEntry("ARROW:FLIGHT:SQL:SCALE", "2")
                .containsEntry("ARROW:FLIGHT:SQL:REMARKS", "price")
                .containsEntry("ARROW:FLIGHT:SQL:TABLE_NAME", "p");
        assertThat(schema(rows.get(2)).getFields()).extracting(Field::getName).containsExactly("a", "l");
        assertThat(schema(rows.get(1)).findField("e").getMetadata())
                .containsEntry("ARROW:FLIGHT:SQL:TYPE_NAME", "ENUM");
    }

    @Test
    void precisionIsInDecimalDigitsForEveryNumber() {
        Rows.of(
                engine,
                query(
                        Access.WRITE,
                        "create table numbers (i1 tinyint, u1 utinyint, i2 smallint, u2 usmallint, i4 integer,"
                                + " u4 uinteger, i8 bigint, u8 ubigint, i16 hugeint, u16 uhugeint, f float, d double,"
                                + " c decimal(12, 3), b boolean, t varchar)"));
        List<List<Object>> rows = answer(new MetadataRequest(Kind.TABLES, null, "main", "numbers", List.of(), true));
        // One engine serves all tests.
        Rows.of(engine, query(Access.WRITE, "drop table numbers"));
        assertThat(schema(rows.get(0)).getFields())
                .extracting(field -> field.getMetadata().get("ARROW:FLIGHT:SQL:PRECISION"))
                .containsExactly("3", "3", "5", "5", "10", "10", "19", "20", "38", null, "7", "15", "12", null, null);
    }

    private static Schema schema(List<Object> row) {
        return Schema.deserializeMessage(ByteBuffer.wrap((byte[]) row.get(4)));
    }

    @Test
    void keys() {
        assertThat(answer(keys(Kind.PRIMARY_KEYS, "p")))
                .containsExactly(
                        List.of("db", "main", "p", "a", 1, "p_a_b_pkey"),
                        List.of("db", "main", "p", "b", 2, "p_a_b_pkey"));
        assertThat(answer(keys(Kind.PRIMARY_KEYS, "f"))).isEmpty();
        List<List<Object>> references = List.of(
                Arrays.asList(
                        "db",
                        "main",
                        "p",
                        "a",
                        "db",
                        "main",
                        "f",
                        "x",
                        1,
                        "f_x_y_a_b_fkey",
                        "p_a_b_pkey",
                        (byte) 3,
                        (byte) 3),
                Arrays.asList(
                        "db",
                        "main",
                        "p",
                        "b",
                        "db",
                        "main",
                        "f",
                        "y",
                        2,
                        "f_x_y_a_b_fkey",
                        "p_a_b_pkey",
                        (byte) 3,
                        (byte) 3));
        assertThat(answer(keys(Kind.IMPORTED_KEYS, "f"))).isEqualTo(references);
        assertThat(answer(keys(Kind.EXPORTED_KEYS, "p"))).isEqualTo(references);
        assertThat(answer(keys(Kind.CROSS_REFERENCE, "p"))).isEqualTo(references);
        assertThat(answer(keys(Kind.EXPORTED_KEYS, "f"))).isEmpty();
        assertThat(answer(keys(Kind.IMPORTED_KEYS, "p"))).isEmpty();
    }

    @Test
    void typesAreListedInOrder() {
        try (ArrowResult result = Rows.await(
                engine.metadata(MetadataRequest.of(Kind.XDBC_TYPE_INFO)).result())) {
            assertThat(result.schema().getFields())
                    .extracting(Field::getName)
                    .startsWith("type_name", "data_type", "column_size")
                    .hasSize(19);
            assertThat(Rows.await(result.next())).isTrue();
            int before = Integer.MIN_VALUE;
            for (int row = 0; row < result.root().getRowCount(); row++) {
                int code = (Integer) result.root().getVector("data_type").getObject(row);
                assertThat(code).isGreaterThanOrEqualTo(before);
                before = code;
            }
            assertThat(Rows.await(result.next())).isFalse();
        }
    }

    @Test
    void patternsMatchAsLikeDoes() {
        assertThat(LikePattern.matches(null, "x")).isTrue();
        assertThat(LikePattern.matches("%", "")).isTrue();
        assertThat(LikePattern.matches("", "x")).isFalse();
        assertThat(LikePattern.matches("a%c%", "abcd")).isTrue();
        assertThat(LikePattern.matches("a_c", "abc")).isTrue();
        assertThat(LikePattern.matches("a\\_c", "abc")).isFalse();
        assertThat(LikePattern.matches("a\\_c", "a_c")).isTrue();
        assertThat(LikePattern.matches("100\\%", "100%")).isTrue();
        assertThat(LikePattern.matches("a\\", "a\\")).isTrue();
        assertThat(LikePattern.matches("A", "a")).isFalse();
        assertThat(LikePattern.matches("%a".repeat(2_000) + "b", "a".repeat(5_000)))
                .isFalse();
    }

    private static List<String> tables(@Nullable EngineCall<ArrowResult> call) {
        return Rows.drain(Rows.await(Objects.requireNonNull(call).result())).stream()
                .map(row -> row.get(0) + "." + row.get(2) + " " + row.get(3))
                .toList();
    }

    @Test
    void aSessionSeesItsTemporaryTablesAndWhatItsTransactionChanged() {
        MetadataRequest own = new MetadataRequest(Kind.TABLES, null, null, "own%", List.of(), false);
        try (EngineSession session = engine.openSession(Access.WRITE)) {
            assertThat(session.metadata(own)).as("nothing of its own").isNull();
            drain(session, "create temp table own_t (i int)");
            drain(session, "create temp view own_v as select 1 as i");
            assertThat(tables(session.metadata(own))).containsExactly("temp.own_t LOCAL TEMPORARY", "temp.own_v VIEW");
            assertThat(answerOf(session, Kind.CATALOGS)).containsExactly(List.of("db"), List.of("temp"));
            assertThat(answerOf(session, Kind.SCHEMAS)).contains(List.of("temp", "main"));
            drain(session, "begin");
            drain(session, "create table own_new (i int primary key)");
            drain(session, "drop table other.p");
            assertThat(tables(session.metadata(own)))
                    .containsExactly("db.own_new TABLE", "temp.own_t LOCAL TEMPORARY", "temp.own_v VIEW");
            assertThat(answer(own)).as("as others see it").isEmpty();
            assertThat(answer(MetadataRequest.of(Kind.CATALOGS))).containsExactly(List.of("db"));
            // The transaction goes on.
            drain(session, "insert into own_new values (1)");
            try (ArrowResult open = Rows.await(session.execute(query(Access.WRITE, "select * from range(1000000)"))
                    .result())) {
                assertThat(session.metadata(own)).as("a result is open").isNull();
            }
            drain(session, "rollback");
            assertThat(tables(session.metadata(own))).hasSize(2);
        }
    }

    private static void drain(EngineSession session, String sql) {
        Rows.drain(Rows.await(session.execute(query(Access.WRITE, sql)).result()));
    }

    private static List<List<Object>> answerOf(EngineSession session, Kind kind) {
        return Rows.drain(Rows.await(Objects.requireNonNull(session.metadata(MetadataRequest.of(kind)))
                .result()));
    }
}
