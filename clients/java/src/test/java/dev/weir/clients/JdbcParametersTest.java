package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Parameters of prepared statements, type by type, and batches of them. */
@Timeout(60)
class JdbcParametersTest {

    private static Connection connection;

    @BeforeAll
    static void connect() throws SQLException {
        connection = Jdbc.connect(Gateway.shared(), Gateway.WRITER);
    }

    @AfterAll
    static void disconnect() throws SQLException {
        connection.close();
    }

    /** Binds the first parameter. */
    @FunctionalInterface
    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private static Arguments type(String type, String printed, Binding binding) {
        return Arguments.of(type, printed, binding);
    }

    static Stream<Arguments> types() {
        return Stream.concat(numbers(), others());
    }

    private static Stream<Arguments> numbers() {
        String huge = "99999999999999999999999999999999999999";
        return Stream.of(
                type("boolean", "true", s -> s.setBoolean(1, true)),
                type("tinyint", "-128", s -> s.setByte(1, Byte.MIN_VALUE)),
                type("smallint", "-32768", s -> s.setShort(1, Short.MIN_VALUE)),
                type("integer", "-2147483648", s -> s.setInt(1, Integer.MIN_VALUE)),
                type("bigint", "-9223372036854775808", s -> s.setLong(1, Long.MIN_VALUE)),
                type("hugeint", huge, s -> s.setBigDecimal(1, new BigDecimal(huge))),
                type("utinyint", "255", s -> s.setInt(1, 255)),
                type("usmallint", "65535", s -> s.setInt(1, 65_535)),
                type("uinteger", "4294967295", s -> s.setLong(1, 4_294_967_295L)),
                type("ubigint", "9223372036854775807", s -> s.setLong(1, Long.MAX_VALUE)),
                type("float", "1.5", s -> s.setFloat(1, 1.5f)),
                type("double", "0.1", s -> s.setDouble(1, 0.1)),
                type("decimal(10,2)", "-12.34", s -> s.setBigDecimal(1, new BigDecimal("-12.34"))),
                type(
                        "decimal(38,10)",
                        "9999999999999999999999999999.9999999999",
                        s -> s.setBigDecimal(1, new BigDecimal("9999999999999999999999999999.9999999999"))));
    }

    private static Stream<Arguments> others() {
        String uuid = "00000000-0000-0000-0000-000000000001";
        Timestamp instant = Timestamp.valueOf("2024-02-29 12:34:56.123");
        return Stream.of(
                type("varchar", "größe 日本 🦆", s -> s.setString(1, "größe 日本 🦆")),
                type("varchar", "", s -> s.setString(1, "")),
                type("blob", "\\x00\\xFF", s -> s.setBytes(1, new byte[] {0, (byte) 0xFF})),
                type("date", "2024-02-29", s -> s.setDate(1, Date.valueOf("2024-02-29"))),
                type("time", "12:34:56", s -> s.setTime(1, Time.valueOf("12:34:56"))),
                type("timestamp", "2024-02-29 12:34:56.123", s -> s.setTimestamp(1, instant)),
                type("timestamp_s", "2024-02-29 12:34:56", s -> s.setTimestamp(1, instant)),
                type("timestamp_ms", "2024-02-29 12:34:56.123", s -> s.setTimestamp(1, instant)),
                type("timestamp_ns", "2024-02-29 12:34:56.123", s -> s.setTimestamp(1, instant)),
                type("timestamptz", "2024-02-29 12:34:56.123+00", s -> s.setTimestamp(1, instant)),
                type("uuid", uuid, s -> s.setString(1, uuid)),
                type("json", "{\"a\": [1]}", s -> s.setString(1, "{\"a\": [1]}")),
                type("enum('small', 'größer')", "größer", s -> s.setString(1, "größer")),
                type("integer[]", "[1, NULL, 3]", s -> s.setArray(1, array("INTEGER", 1, null, 3))),
                type("varchar[]", "[a, b]", s -> s.setArray(1, array("VARCHAR", "a", "b"))));
    }

    private static java.sql.Array array(String type, Object... values) throws SQLException {
        return connection.createArrayOf(type, values);
    }

    /** Compared as DuckDB prints them, so that what the driver reads does not count. */
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("types")
    void everyTypeReachesTheStatement(String type, String printed, Binding binding) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select (?::" + type + ")::varchar")) {
            binding.bind(statement);
            try (ResultSet result = statement.executeQuery()) {
                assertThat(Cells.rows(result)).containsExactly(List.of(printed));
            }
        }
    }

    /** What the driver cannot bind by its type goes as text. */
    @ParameterizedTest
    @MethodSource("texts")
    void otherTypesAreBoundAsText(String type, String printed) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select (?::varchar::" + type + ")::varchar")) {
            statement.setString(1, printed);
            try (ResultSet result = statement.executeQuery()) {
                assertThat(Cells.rows(result)).containsExactly(List.of(printed));
            }
        }
    }

    static Stream<Arguments> texts() {
        return Stream.of(
                Arguments.of("interval", "3 days 04:00:00"),
                Arguments.of("struct(a integer, b varchar)", "{'a': 1, 'b': x}"),
                Arguments.of("map(varchar, integer)", "{k=1}"),
                Arguments.of("ubigint", "18446744073709551615"));
    }

    @Test
    void nullOfEveryTypeIsNull() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select ?::integer is null, ?::varchar is null,"
                + " ?::timestamp is null, ?::decimal(10,2) is null, ?::integer[] is null")) {
            int[] types = {Types.INTEGER, Types.VARCHAR, Types.TIMESTAMP, Types.DECIMAL, Types.ARRAY};
            for (int i = 0; i < types.length; i++) {
                statement.setNull(i + 1, types[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                assertThat(Cells.rows(result)).containsExactly(List.of("true", "true", "true", "true", "true"));
            }
        }
    }

    @Test
    void parametersAreDescribed() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select ?::integer, ?::decimal(10,2), ?")) {
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(3);
            assertThat(statement.getParameterMetaData().getParameterType(1)).isEqualTo(Types.INTEGER);
            assertThat(statement.getParameterMetaData().getParameterType(2)).isEqualTo(Types.DECIMAL);
            assertThat(statement.getParameterMetaData().getParameterType(3)).isEqualTo(Types.VARCHAR);
        }
    }

    /** One transaction; the driver gives one count for all of it. */
    @Test
    void aBatchIsOneUpdate() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into scratch values (?, ?)");
                Statement statement = connection.createStatement()) {
            for (int i = 0; i < 1_000; i++) {
                insert.setInt(1, 3_000 + i);
                insert.setString(2, "batch " + i);
                insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1_000);
            assertThat(Cells.rows(connection, "select count(*), count(distinct note) from scratch where id >= 3000"))
                    .containsExactly(List.of("1000", "1000"));
            assertThat(statement.executeUpdate("delete from scratch where id >= 3000"))
                    .isEqualTo(1_000);
        }
    }

    @Test
    void aBatchWithAFaultyRowChangesNothing() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("insert into keyed values (?, ?)")) {
            for (int i : new int[] {1, 2, 1}) {
                insert.setInt(1, i);
                insert.setString(2, "row");
                insert.addBatch();
            }
            assertThatThrownBy(insert::executeBatch)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("duplicate key");
        }
        assertThat(Cells.rows(connection, "select count(*) from keyed")).containsExactly(List.of("0"));
    }

    @Test
    void aStatementWithoutItsParametersIsRefused() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select ?::integer")) {
            assertThatThrownBy(statement::executeQuery).isInstanceOf(SQLException.class);
        }
        assertThat(connection.isValid(5)).isTrue();
    }
}
