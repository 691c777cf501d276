package dev.weir.gateway.flightsql;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.arrow.flight.sql.SqlInfoBuilder;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlSupportsConvert;

/**
 * DuckDB's words for {@code GetSqlInfo}: its keywords that SQL:2003 does not reserve, those of the functions that JDBC
 * and ODBC know which DuckDB has under the same name, and what can be cast to what.
 */
final class SqlVocabulary {

    private static final String[] KEYWORDS = {
        "ANALYSE",
        "ANALYZE",
        "ANTI",
        "ASOF",
        "ATTACH",
        "CHECKPOINT",
        "CONCURRENTLY",
        "COPY",
        "DEFERRABLE",
        "DESCRIBE",
        "DETACH",
        "EXCLUDE",
        "EXPLAIN",
        "FREEZE",
        "GLOB",
        "ILIKE",
        "INITIALLY",
        "INSTALL",
        "ISNULL",
        "LAMBDA",
        "LIMIT",
        "LOAD",
        "MACRO",
        "MAP",
        "NOTNULL",
        "OFFSET",
        "PIVOT",
        "PIVOT_LONGER",
        "PIVOT_WIDER",
        "PLACING",
        "POSITIONAL",
        "PRAGMA",
        "QUALIFY",
        "REPLACE",
        "RETURNING",
        "SAMPLE",
        "SEMI",
        "SHOW",
        "STRUCT",
        "SUMMARIZE",
        "TRY_CAST",
        "UNPIVOT",
        "USE",
        "VACUUM",
        "VARIADIC",
        "VERBOSE"
    };

    private static final String[] NUMERIC_FUNCTIONS = {
        "ABS", "ACOS", "ASIN", "ATAN", "ATAN2", "CEILING", "COS", "COT", "DEGREES", "EXP", "FLOOR", "LOG", "LOG10",
        "MOD", "PI", "POWER", "RADIANS", "ROUND", "SIGN", "SIN", "SQRT", "TAN"
    };

    private static final String[] STRING_FUNCTIONS = {
        "ASCII", "BIT_LENGTH", "CHAR_LENGTH", "CHARACTER_LENGTH", "CHR", "CONCAT", "LCASE", "LEFT", "LENGTH", "LOWER",
        "LTRIM", "POSITION", "REPEAT", "REPLACE", "RIGHT", "RTRIM", "SUBSTRING", "TRIM", "UCASE", "UPPER"
    };

    private static final String[] SYSTEM_FUNCTIONS = {
        "COALESCE", "CURRENT_DATABASE", "CURRENT_SCHEMA", "IFNULL", "NULLIF"
    };

    private static final String[] DATETIME_FUNCTIONS = {
        "CURRENT_DATE",
        "CURRENT_TIME",
        "CURRENT_TIMESTAMP",
        "DATE_DIFF",
        "DATE_PART",
        "DATE_TRUNC",
        "DAYNAME",
        "DAYOFMONTH",
        "DAYOFWEEK",
        "DAYOFYEAR",
        "EXTRACT",
        "HOUR",
        "MINUTE",
        "MONTH",
        "MONTHNAME",
        "NOW",
        "QUARTER",
        "SECOND",
        "WEEK",
        "YEAR"
    };

    private static final List<SqlSupportsConvert> NUMBERS = List.of(
            SqlSupportsConvert.SQL_CONVERT_BIGINT,
            SqlSupportsConvert.SQL_CONVERT_DECIMAL,
            SqlSupportsConvert.SQL_CONVERT_FLOAT,
            SqlSupportsConvert.SQL_CONVERT_INTEGER,
            SqlSupportsConvert.SQL_CONVERT_NUMERIC,
            SqlSupportsConvert.SQL_CONVERT_REAL,
            SqlSupportsConvert.SQL_CONVERT_SMALLINT,
            SqlSupportsConvert.SQL_CONVERT_TINYINT);

    private SqlVocabulary() {}

    static void describe(SqlInfoBuilder builder) {
        builder.withSqlKeywords(KEYWORDS)
                .withSqlNumericFunctions(NUMERIC_FUNCTIONS)
                .withSqlStringFunctions(STRING_FUNCTIONS)
                .withSqlSystemFunctions(SYSTEM_FUNCTIONS)
                .withSqlDatetimeFunctions(DATETIME_FUNCTIONS)
                .withSqlSupportsConvert(casts());
    }

    private static Map<Integer, List<Integer>> casts() {
        Map<SqlSupportsConvert, List<SqlSupportsConvert>> casts = new EnumMap<>(SqlSupportsConvert.class);
        SqlSupportsConvert text = SqlSupportsConvert.SQL_CONVERT_VARCHAR;
        for (SqlSupportsConvert number : NUMBERS) {
            casts.put(number, with(NUMBERS, text, SqlSupportsConvert.SQL_CONVERT_BIT));
        }
        casts.put(SqlSupportsConvert.SQL_CONVERT_BIT, with(NUMBERS, text));
        casts.put(SqlSupportsConvert.SQL_CONVERT_DATE, List.of(text, SqlSupportsConvert.SQL_CONVERT_TIMESTAMP));
        casts.put(SqlSupportsConvert.SQL_CONVERT_TIME, List.of(text));
        casts.put(
                SqlSupportsConvert.SQL_CONVERT_TIMESTAMP,
                List.of(text, SqlSupportsConvert.SQL_CONVERT_DATE, SqlSupportsConvert.SQL_CONVERT_TIME));
        casts.put(SqlSupportsConvert.SQL_CONVERT_VARBINARY, List.of(text));
        casts.put(
                text,
                with(
                        NUMBERS,
                        SqlSupportsConvert.SQL_CONVERT_BIT,
                        SqlSupportsConvert.SQL_CONVERT_DATE,
                        SqlSupportsConvert.SQL_CONVERT_TIME,
                        SqlSupportsConvert.SQL_CONVERT_TIMESTAMP,
                        SqlSupportsConvert.SQL_CONVERT_VARBINARY,
                        SqlSupportsConvert.SQL_CONVERT_INTERVAL_DAY_TIME,
                        SqlSupportsConvert.SQL_CONVERT_INTERVAL_YEAR_MONTH));
        casts.put(SqlSupportsConvert.SQL_CONVERT_INTERVAL_DAY_TIME, List.of(text));
        casts.put(SqlSupportsConvert.SQL_CONVERT_INTERVAL_YEAR_MONTH, List.of(text));
        return casts.entrySet().stream()
                .collect(Collectors.toMap(
                        entry -> entry.getKey().getNumber(),
                        entry -> entry.getValue().stream()
                                .map(SqlSupportsConvert::getNumber)
                                .toList()));
    }

    private static List<SqlSupportsConvert> with(List<SqlSupportsConvert> some, SqlSupportsConvert... more) {
        return java.util.stream.Stream.concat(some.stream(), java.util.Arrays.stream(more))
                .toList();
    }
}
