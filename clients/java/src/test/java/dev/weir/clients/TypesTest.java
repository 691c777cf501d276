package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.adbc.core.AdbcStatement;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBResultSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A table with every type of DuckDB, with the values at their limits and nulls. */
@Timeout(60)
class TypesTest {

    private static final String COLUMNS = """
            id, c_boolean, c_tinyint, c_smallint, c_integer, c_bigint, c_hugeint, c_utinyint, c_usmallint, c_uinteger,
            c_ubigint, c_float, c_double, c_decimal_4, c_decimal_9, c_decimal_18, c_decimal_38, c_varchar, c_blob,
            c_date, c_time, c_timestamp, c_timestamp_s, c_timestamp_ms, c_timestamp_ns, c_timestamptz, c_interval,
            c_list, c_struct, c_map, c_array, c_nested""";

    private static final Gateway GATEWAY = Gateway.shared();

    /** Types that have no Arrow type of their own are compared as text. */
    @Test
    void arrowValuesAreThoseOfDuckDb() throws Exception {
        List<List<String>> expected;
        try (BufferAllocator allocator = new RootAllocator();
                Connection own = Database.open(GATEWAY.copyOfDatabase());
                Statement statement = own.createStatement()) {
            statement.execute("set TimeZone = 'UTC'");
            try (DuckDBResultSet result = (DuckDBResultSet) statement.executeQuery("select " + COLUMNS
                            + ", c_uuid::varchar, c_enum::varchar, c_json::varchar from types order by id");
                    ArrowReader reader = (ArrowReader) result.arrowExportStream(allocator, 1000)) {
                expected = Cells.rows(reader);
            }
        }
        try (Adbc adbc = new Adbc(GATEWAY, Gateway.READER, Gateway.PASSWORD);
                AdbcStatement statement = adbc.connection().createStatement()) {
            statement.setSqlQuery("select " + COLUMNS + ", c_uuid, c_enum, c_json from types order by id");
            try (AdbcStatement.QueryResult result = statement.executeQuery()) {
                assertThat(Cells.rows(result.getReader())).isEqualTo(expected).hasSize(3);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "c_boolean ~ true ~ false",
                "c_tinyint ~ 127 ~ -128",
                "c_bigint ~ \"9223372036854775807\" ~ \"-9223372036854775808\"",
                "c_hugeint ~ \"99999999999999999999999999999999999999\" ~ \"-99999999999999999999999999999999999999\"",
                "c_uinteger ~ 4294967295 ~ 0",
                "c_ubigint ~ \"18446744073709551615\" ~ 0",
                "c_float ~ 3.4028235E38 ~ -1.5",
                "c_double ~ 1.7976931348623157E308 ~ -0.1",
                "c_decimal_4 ~ \"999.9\" ~ \"-999.9\"",
                "c_decimal_38 ~ \"9999999999999999999999999999.9999999999\" ~ \"-0.0000000001\"",
                "c_varchar ~ \"größe 日本 🦆 \\\"q\\\", x\" ~ \"\"",
                "c_blob ~ \"AP8Q\" ~ \"\"",
                "c_date ~ \"9999-12-31\" ~ \"1582-10-15\"",
                "c_time ~ \"23:59:59.999999\" ~ \"00:00:00\"",
                "c_timestamp ~ \"9999-12-31T23:59:59.999999\" ~ \"1677-09-22T00:00:00\"",
                "c_timestamp_ms ~ \"9999-12-31T23:59:59.999\" ~ \"1969-12-31T23:59:59.999\"",
                "c_timestamp_ns ~ \"2262-04-11T23:47:16.854775\" ~ \"1970-01-01T00:00:00\"",
                "c_timestamptz ~ \"2024-06-30T10:00:00Z\" ~ \"1970-01-01T00:00:00Z\"",
                "c_interval ~ \"P1Y2M3DT4H\" ~ \"P-5D\"",
                "c_uuid ~ \"ffffffff-ffff-ffff-ffff-ffffffffffff\" ~ \"00000000-0000-0000-0000-000000000000\"",
                "c_enum ~ \"größer\" ~ \"small\"",
                "c_list ~ [1,null,3] ~ []",
                "c_struct ~ {\"a\":1,\"b\":\"x\"} ~ {\"a\":null,\"b\":null}",
                "c_map ~ [[\"k\",1],[\"l\",null]] ~ []",
                "c_array ~ [1,2,3] ~ [null,0,-1]",
                "c_nested ~ [{\"x\":[1,2]},{\"x\":null}] ~ []",
                "c_json ~ \"{\\\"a\\\": [1, 2.5, null]}\" ~ \"null\"",
            })
    void jsonValuesAreExact(String column, String first, String second) throws Exception {
        Http http = new Http(GATEWAY);
        HttpResponse<String> response = http.client()
                .send(
                        http.query(Gateway.READER, "application/json", "select " + column + " from types order by id"),
                        BodyHandlers.ofString());
        JsonNode rows = new ObjectMapper().readTree(response.body()).path("data");

        assertThat(List.of(
                        rows.get(0).get(0).toString(),
                        rows.get(1).get(0).toString(),
                        rows.get(2).get(0).toString()))
                .containsExactly(first, second, "null");
    }

    @Test
    void jdbcValuesAreExactWhereTheDriverIs() throws Exception {
        Map<String, Object> expected = new LinkedHashMap<>();
        expected.put("c_boolean", "true");
        expected.put("c_tinyint", "127");
        expected.put("c_bigint", "9223372036854775807");
        expected.put("c_hugeint", "99999999999999999999999999999999999999");
        expected.put("c_double", "1.7976931348623157E308");
        expected.put("c_decimal_38", "9999999999999999999999999999.9999999999");
        expected.put("c_varchar", "größe 日本 🦆 \"q\", x");
        expected.put("c_date", "9999-12-31");
        expected.put("c_uuid", "ffffffff-ffff-ffff-ffff-ffffffffffff");
        expected.put("c_enum", "größer");
        expected.put("c_struct", "{\"a\":1,\"b\":\"x\"}");
        expected.put("c_json", "{\"a\": [1, 2.5, null]}");
        try (Connection connection = Jdbc.connect(GATEWAY, Gateway.READER);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select * from types order by id")) {
            assertThat(result.next()).isTrue();
            for (Map.Entry<String, Object> column : expected.entrySet()) {
                assertThat(Cells.text(result.getObject(column.getKey())))
                        .as(column.getKey())
                        .isEqualTo(column.getValue());
            }
            assertThat(result.getBytes("c_blob")).containsExactly(0, 0xFF, 0x10);
            assertThat(Arrays.asList((Object[]) result.getArray("c_list").getArray()))
                    .containsExactly(1, null, 3);
            assertThat(result.getTimestamp("c_timestamptz").toInstant()).hasToString("2024-06-30T10:00:00Z");
        }
    }

    @Test
    void jdbcNestsValues() throws Exception {
        try (Connection connection = Jdbc.connect(GATEWAY, Gateway.READER);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select c_map, c_array, c_nested, {'l': [1, 2]} as s,"
                        + " [[1], null, []] as l from types order by id")) {
            assertThat(result.next()).isTrue();
            assertThat(result.getObject("c_map")).hasToString("{\"k\":1,\"l\":null}");
            assertThat((Object[]) result.getArray("c_array").getArray()).containsExactly(1, 2, 3);
            assertThat(result.getArray("c_nested")).hasToString("[{\"x\":[1,2]},{}]");
            assertThat(result.getObject("s"))
                    .isInstanceOfSatisfying(
                            Map.class, s -> assertThat(s.get("l")).hasToString("[1,2]"));
            assertThat(result.getArray("l")).hasToString("[[1],null,[]]");
        }
    }

    @Test
    void jdbcTellsNullsFromValues() throws Exception {
        try (Connection connection = Jdbc.connect(GATEWAY, Gateway.READER);
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("select * exclude (c_timestamptz) from types where id = 3")) {
            assertThat(result.next()).isTrue();
            for (int i = 2; i <= result.getMetaData().getColumnCount(); i++) {
                assertThat(result.getObject(i))
                        .as(result.getMetaData().getColumnName(i))
                        .isNull();
                assertThat(result.wasNull()).isTrue();
            }
        }
    }

    /** Types that Arrow would carry wrongly come as text or are refused by name; never as another value. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "170141183460469231731687303715884105727::hugeint ~ 170141183460469231731687303715884105727",
                "340282366920938463463374607431768211455::uhugeint ~ 340282366920938463463374607431768211455",
                "'12:00:00+02'::timetz ~ 12:00:00+02",
                "'10101'::bit ~ 10101",
            })
    void valuesBeyondArrowAreNeverWrong(String expression, String text) throws Exception {
        Http http = new Http(GATEWAY);
        HttpResponse<String> response = http.client()
                .send(
                        http.query(Gateway.READER, "text/csv", "select " + expression + " as v"),
                        BodyHandlers.ofString());

        assertThat(
                        response.statusCode() == 200
                                ? response.body()
                                : "v\r\n" + text + "\r\n") // A refusal is right too, when it names the column.
                .isEqualTo("v\r\n" + text + "\r\n");
        if (response.statusCode() != 200) {
            assertThat(response.body()).contains("Column \\\"v\\\"");
        }
    }
}
