package dev.weir.clients;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;

/** The data that the gateway serves: TPC-H at scale 0.1, made once, and tables of the tests' own. */
final class Database {

    private static final Path TPCH = Launcher.TARGET.resolve("tpch-0.1.duckdb");

    /** One column of each type, with values at their limits, usual ones and nulls. */
    private static final String TYPES = """
            create table types (
                id integer, c_boolean boolean, c_tinyint tinyint, c_smallint smallint, c_integer integer,
                c_bigint bigint, c_hugeint hugeint, c_utinyint utinyint, c_usmallint usmallint, c_uinteger uinteger,
                c_ubigint ubigint, c_float float, c_double double, c_decimal_4 decimal(4,1), c_decimal_9 decimal(9,4),
                c_decimal_18 decimal(18,6), c_decimal_38 decimal(38,10), c_varchar varchar, c_blob blob, c_date date,
                c_time time, c_timestamp timestamp, c_timestamp_s timestamp_s, c_timestamp_ms timestamp_ms,
                c_timestamp_ns timestamp_ns, c_timestamptz timestamptz, c_interval interval, c_uuid uuid,
                c_enum enum('small', 'größer'), c_list integer[], c_struct struct(a integer, b varchar),
                c_map map(varchar, integer), c_array integer[3], c_nested struct(x integer[])[], c_json json)
            """;

    private static final String TYPE_ROWS = """
            insert into types values
            (1, true, 127, 32767, 2147483647, 9223372036854775807, 99999999999999999999999999999999999999,
                255, 65535, 4294967295, 18446744073709551615, 3.4028234e38, 1.7976931348623157e308, 999.9, 99999.9999,
                999999999999.999999, 9999999999999999999999999999.9999999999, 'größe 日本 🦆 "q", x', '\\x00\\xFF\\x10',
                '9999-12-31', '23:59:59.999999', '9999-12-31 23:59:59.999999', '9999-12-31 23:59:59',
                '9999-12-31 23:59:59.999', '2262-04-11 23:47:16.854775', '2024-06-30 12:00:00+02',
                interval '1 year 2 months 3 days 4 hours', 'ffffffff-ffff-ffff-ffff-ffffffffffff', 'größer',
                [1, null, 3], {'a': 1, 'b': 'x'}, map {'k': 1, 'l': null}, [1, 2, 3], [{'x': [1, 2]}, {'x': null}],
                '{"a": [1, 2.5, null]}'),
            (2, false, -128, -32768, -2147483648, -9223372036854775808, -99999999999999999999999999999999999999,
                0, 0, 0, 0, -1.5, -0.1, -999.9, -99999.9999, -0.000001, -0.0000000001, '', '', '1582-10-15', '00:00:00',
                '1677-09-22 00:00:00', '1970-01-01 00:00:00', '1969-12-31 23:59:59.999', '1970-01-01 00:00:00',
                '1970-01-01 00:00:00+00', interval '-5 days', '00000000-0000-0000-0000-000000000000', 'small',
                [], {'a': null, 'b': null}, map {}, [null, 0, -1], [], 'null'),
            (3, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)
            """;

    private Database() {}

    /** Makes the file. DuckDB has closed it when this returns. */
    static void create(Path file) throws IOException, InterruptedException, SQLException {
        if (!Files.exists(TPCH)) {
            Files.createDirectories(Launcher.TARGET);
            Launcher.runOk(Map.of(), "tpch", "--sf", "0.1", "--out", TPCH.toString());
        }
        Files.copy(TPCH, file, StandardCopyOption.REPLACE_EXISTING);
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute(TYPES);
            statement.execute(TYPE_ROWS);
            statement.execute("create table scratch (id integer, note varchar)");
            statement.execute("create table keyed (id integer primary key, name varchar not null)");
            statement.execute("create table child (parent integer references keyed (id), extra varchar)");
            statement.execute("create view nations as select n_name, r_name from nation, region"
                    + " where n_regionkey = r_regionkey");
            statement.execute("create schema other");
            statement.execute("create table other.things (id integer, \"odd name%_\" varchar)");
            statement.execute("create table other.\"odd%_table\" (id integer)");
            statement.execute("create table other.oddxytable (id integer)");
            statement.execute("comment on column other.things.id is 'the key'");
            statement.execute("checkpoint");
        }
    }

    /** Opens a copy of the served file in this process. */
    static Connection open(Path copy) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("duckdb.read_only", "true");
        return DriverManager.getConnection("jdbc:duckdb:" + copy, properties);
    }
}
