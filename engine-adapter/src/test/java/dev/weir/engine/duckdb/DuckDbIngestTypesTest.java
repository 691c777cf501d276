package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StreamFeed;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Types out of the engine as Arrow and in again. */
class DuckDbIngestTypesTest extends DuckDbTestBase {

    private void load(byte[] stream, IngestMode mode) {
        try (StreamFeed feed = StreamFeed.of(stream)) {
            EngineCall<ArrowResult> call = engine.ingest(
                    new EngineIngest(
                            "ingest",
                            IngestTarget.of("t"),
                            mode,
                            feed.schema(),
                            Access.WRITE,
                            SessionSettings.NONE,
                            QueryContext.NONE),
                    feed);
            try {
                Rows.drain(Rows.await(call.result()));
            } finally {
                Rows.await(call.stopped());
            }
        }
    }

    /** Each type is made as itself and keeps every value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "BOOLEAN | true ; false",
                "TINYINT | -128 ; 127",
                "SMALLINT | -32768 ; 32767",
                "INTEGER | -2147483648 ; 2147483647",
                "BIGINT | -9223372036854775808 ; 9223372036854775807",
                "UTINYINT | 0 ; 255",
                "USMALLINT | 0 ; 65535",
                "UINTEGER | 0 ; 4294967295",
                "UBIGINT | 0 ; 18446744073709551615",
                "FLOAT | 1.5 ; 'nan' ; '-inf'",
                "DOUBLE | 1e308 ; 'nan' ; 'inf'",
                "DECIMAL(4,1) | 999.9 ; -999.9",
                "DECIMAL(9,2) | 9999999.99 ; -0.01",
                "DECIMAL(18,4) | 99999999999999.9999 ; -99999999999999.9999",
                "DECIMAL(38,10) | 9999999999999999999999999999.9999999999 ; -0.0000000001",
                "DATE | '1970-01-01' ; '0001-01-01' ; '9999-12-31'",
                "TIME | '00:00:00' ; '23:59:59.999999'",
                "TIMESTAMP | '1970-01-01' ; '2026-01-31 23:59:59.123456'",
                "TIMESTAMP_S | '2026-01-31 23:59:59'",
                "TIMESTAMP_MS | '2026-01-31 23:59:59.123'",
                "TIMESTAMP_NS | '2026-01-31 23:59:59.123456789'",
                "TIMESTAMP WITH TIME ZONE | '2026-01-31 23:59:59.123456+05'",
                "INTERVAL | '14 months 3 days 4 seconds'",
                "VARCHAR | '' ; 'täble 表' ; 'longer than twelve bytes'",
                "BLOB | '' ; '\\x00\\xFF'",
                "INTEGER[] | [1, NULL, 3] ; [] ; [4]",
                "INTEGER[3] | [1, 2, 3] ; [4, NULL, 6]",
                "VARCHAR[][] | [['a'], [], NULL, ['b', NULL]]",
                "STRUCT(a INTEGER, b VARCHAR) | {'a': 1, 'b': 'x'} ; {'a': NULL, 'b': NULL}",
                "MAP(VARCHAR, INTEGER) | MAP {'a': 1, 'b': NULL} ; MAP {}",
                "STRUCT(a STRUCT(b INTEGER[])[]) | {'a': [{'b': [1, 2]}, NULL, {'b': []}]}",
            })
    void roundTrip(String type, String values) {
        StringBuilder rows =
                new StringBuilder("create or replace table source as select 0 as i, null::" + type + " as v");
        int number = 0;
        for (String value : values.split(" ; ")) {
            rows.append(" union all select " + ++number + ", (" + value.strip() + ")::" + type);
        }
        run(Access.WRITE, rows.toString());
        load(StreamFeed.streamOf(engine, "from source order by i", 2), IngestMode.REPLACE);
        assertThat(run(Access.READ, "select column_type from (describe t) where column_name = 'v'"))
                .containsExactly(List.of(type));
        assertThat(run(Access.READ, "select i, v::varchar from t order by i"))
                .isEqualTo(run(Access.READ, "select i, v::varchar from source order by i"));
    }

    /** What reads give as text or as a number stays that. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'ffffffff-1234-5678-9abc-000000000001'::uuid | VARCHAR",
                "12345678901234567890123456789::hugeint | DECIMAL(38,0)",
                "'b'::enum('a', 'b') | VARCHAR",
                "'POINT (1 2)'::geometry | GEOMETRY",
            })
    void theTypeOfTheStreamCounts(String value, String type) {
        load(StreamFeed.streamOf(engine, "select " + value + " as v", 10), IngestMode.REPLACE);
        assertThat(run(
                        Access.READ,
                        "select column_type, (select v::varchar from t) = (" + value + ")::varchar"
                                + " from (describe t)"))
                .containsExactly(List.of(type, true));
    }

    /** Extension types that clients mark their columns with. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "arrow.uuid |  | UUID | 000102030405060708090a0b0c0d0e0f | 00010203-0405-0607-0809-0a0b0c0d0e0f",
                "arrow.opaque | {\"type_name\":\"hugeint\",\"vendor_name\":\"DuckDB\"} | HUGEINT"
                        + " | 05000000000000000000000000000000 | 5",
                "arrow.opaque | {\"type_name\":\"bit\",\"vendor_name\":\"DuckDB\"} | BLOB"
                        + " | ff000000000000000000000000000000"
                        + " | \\xFF\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00",
                "nobody.knows | x | BLOB | 41414141414141414141414141414141 | AAAAAAAAAAAAAAAA",
            })
    void extensionTypes(String name, @Nullable String more, String type, String hex, String text) {
        Map<String, String> metadata =
                Map.of("ARROW:extension:name", name, "ARROW:extension:metadata", more == null ? "" : more);
        Field field = new Field("v", new FieldType(true, new ArrowType.FixedSizeBinary(16), null, metadata), List.of());
        try (BufferAllocator memory = new RootAllocator();
                FixedSizeBinaryVector vector = new FixedSizeBinaryVector(field, memory)) {
            vector.allocateNew(1);
            vector.setSafe(0, HexFormat.of().parseHex(hex));
            vector.setValueCount(1);
            load(StreamFeed.streamOf(VectorSchemaRoot.of(vector), new MapDictionaryProvider()), IngestMode.REPLACE);
        }
        assertThat(run(Access.READ, "select column_type, (select v::varchar from t) from (describe t)"))
                .containsExactly(List.of(type, text));
    }

    @Test
    void appendingCastsToTheTablesTypes() {
        run(
                Access.WRITE,
                "create or replace table t (a smallint, b decimal(10,2), c varchar, d timestamp, e uuid, f json,"
                        + " g enum('x', 'y'), h hugeint)");
        load(
                StreamFeed.streamOf(
                        engine,
                        "select 7::bigint as a, 1.5::double as b, 3::int as c, date '2020-01-02' as d,"
                                + " 'ffffffff-1234-5678-9abc-000000000001' as e, '{}' as f, 'y' as g, 5 as h",
                        10),
                IngestMode.APPEND);
        assertThat(run(
                        Access.READ,
                        "select a, b::varchar, c, d::varchar, e::varchar, f::varchar, g::varchar, h::int" + " from t"))
                .containsExactly(List.of(
                        (short) 7,
                        "1.50",
                        "3",
                        "2020-01-02 00:00:00",
                        "ffffffff-1234-5678-9abc-000000000001",
                        "{}",
                        "y",
                        5));
    }
}
