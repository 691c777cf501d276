package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DuckDbErrorsTest extends DuckDbTestBase {

    @BeforeAll
    void makeTables() {
        run(Access.WRITE, "create table t (i int primary key, s varchar not null, c int check (c > 0), d date)");
        run(Access.WRITE, "create table child (i int references t (i))");
        run(Access.WRITE, "insert into t values (1, 'a', 1, '2024-01-01')");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            selec 1                                     | SYNTAX      | 42601 | 0
            select 1 frm t where                        | SYNTAX      | 42601 | -2
            /* é */ selec 1                             | SYNTAX      | 42601 | 8
            select 'é', nope from t                     | BINDING     | 42703 | 12
            select t.nope from t                        | BINDING     | 42703 | 7
            select * from nope                          | BINDING     | 42P01 | 14
            select * from nope.t                        | BINDING     | 42P01 | 14
            select nope(1)                              | BINDING     | 42883 | 7
            select abs('x', 'y')                        | BINDING     | 42883 | 7
            select 1::nope                              | BINDING     | 42704 | 10
            select i, count(*) from t                   | BINDING     | 42803 | 7
            create table t (i int)                      | BINDING     | 42P07 | -1
            drop table nope                             | BINDING     | 42P01 | -1
            select 'x'::int                             | EXECUTION   | 22P02 | 10
            select concat('x', i)::int from t           | EXECUTION   | 22P02 | 21
            select 300::tinyint                         | EXECUTION   | 22003 | -2
            select 1 // 0                               | EXECUTION   | 22012 | -1
            select 1 // (i - 1) from t                  | EXECUTION   | 22012 | -1
            select 9223372036854775807 + 1              | EXECUTION   | 22003 | -1
            select error('boom')                        | EXECUTION   | 22023 | -1
            insert into t values (1, 'x', 1, null)      | EXECUTION   | 23505 | -1
            insert into t values (2, null, 1, null)     | EXECUTION   | 23502 | -1
            insert into t values (2, 'x', 0, null)      | EXECUTION   | 23514 | -1
            insert into child values (7)                | EXECUTION   | 23503 | -1
            insert into t values (1)                    | BINDING     | 42000 | -1
            select * from read_parquet('nope.parquet')  | FORBIDDEN   | 42501 | -2
            select spatial_nope                         | BINDING     | 42703 | 7
            """)
    void isClassified(String sql, EngineFailure failure, String sqlState, int position) {
        EngineException e = failure(Access.WRITE, sql);
        assertThat(e.failure()).as(e.getMessage()).isEqualTo(failure);
        assertThat(e.sqlState()).as(e.getMessage()).isEqualTo(sqlState);
        if (position >= -1) {
            assertThat(e.position()).as(e.getMessage()).isEqualTo(position);
        }
        assertThat(e.getMessage()).doesNotContain("LINE ", "^", "\tat ", sql);
    }

    @Test
    void theTextLostBeforeTheFirstRowIsFound() {
        assertThat(failure(Access.READ, "select cast('x' || i as int) from range(10) t(i)")
                        .getMessage())
                .isEqualTo("Could not convert string 'x0' to INT32");
        assertThat(failure(Access.READ, "select 1 // 0").getMessage()).startsWith("Division by zero");
        assertThat(failure(Access.READ, "select error('boom')").getMessage()).isEqualTo("boom");
        assertThat(failure(Access.READ, "select ?::int // ?::int", 1, 0).sqlState())
                .isEqualTo("22012");
    }

    @Test
    void aHintSurvives() {
        assertThat(failure(Access.READ, "select * from tt").getMessage()).contains("Did you mean \"t\"");
    }

    @Test
    void aPositionInACastQueryIsInTheClientsText() {
        String sql = "select 1::uhugeint, nope from t";
        assertThat(failure(Access.READ, sql).position()).isEqualTo(20);
        String late = "-- c\nselect 1::uhugeint, cast('x' || i as int) from t";
        assertThat(failure(Access.READ, late).position()).isEqualTo(late.indexOf("cast"));
    }

    @Test
    void aFailureInTheMiddleTellsItsText() {
        EngineException failure = failure(
                Access.READ,
                "select cast(case when i = 2000000 then 'x' else '1' end as int) from range(2500000) t(i)");
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure.sqlState()).isEqualTo("22P02");
        assertThat(failure.getMessage()).isEqualTo("Could not convert string 'x' to INT32");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            select * from t where i = ?              | abc
            select * from t where d = ?              | 2024-13-45
            select ?::decimal(5,2)                   | 1e
            insert into t (i, s) values (?, 'x')     | xyz
            """)
    void aParameterOfTheWrongTypeIsNamed(String sql, String value) {
        EngineException failure = failure(Access.WRITE, sql, value);
        assertThat(failure.failure()).isEqualTo(EngineFailure.INVALID_PARAMETER);
        assertThat(failure.getMessage()).startsWith("Parameter 1 ");
    }

    @Test
    void theSecondParameterOfTheWrongTypeIsNamed() {
        EngineException failure = failure(Access.READ, "select * from t where i = ? and d = ?", 1, "tomorrow");
        assertThat(failure.failure()).isEqualTo(EngineFailure.INVALID_PARAMETER);
        assertThat(failure.getMessage()).startsWith("Parameter 2 ");
        assertThat(failure(Access.READ, "select ?::int // ?::int", 1, 0).failure())
                .isEqualTo(EngineFailure.EXECUTION);
    }

    @Test
    void valuesThatCannotBeBoundAreRefused() {
        for (Object value : List.of(
                new Object(),
                List.of(1, "x"),
                new BigDecimal("1".repeat(39)),
                BigInteger.TWO.pow(127),
                "a\0b",
                LocalDate.of(-5, 1, 1),
                Duration.ofSeconds(Long.MAX_VALUE))) {
            EngineException failure = failure(Access.READ, "select ?", value);
            assertThat(failure.failure()).as(value.toString()).isEqualTo(EngineFailure.INVALID_PARAMETER);
            assertThat(failure.getMessage()).startsWith("Parameter 1 ");
        }
    }

    @Test
    void valuesOfEveryTypeAreBound() {
        assertThat(run(
                        Access.READ,
                        "select ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::varchar, ?::varchar, ?::varchar, ?::varchar, ?::interval::varchar, ?::int[], ?::varchar[][]",
                        true,
                        (byte) 1,
                        (short) 2,
                        3,
                        4L,
                        new BigInteger("5"),
                        1.5f,
                        2.5,
                        new BigDecimal("1E+2"),
                        LocalDate.of(2024, 2, 29),
                        LocalTime.of(1, 2, 3, 4000),
                        LocalDateTime.of(2024, 2, 29, 1, 2, 3),
                        OffsetDateTime.of(2024, 2, 29, 1, 2, 3, 0, ZoneOffset.ofHours(1)),
                        Duration.ofMillis(1500),
                        Arrays.asList(1, null),
                        List.of(List.of("a"), List.of())))
                .containsExactly(List.of(
                        true,
                        (byte) 1,
                        (short) 2,
                        3,
                        4L,
                        new BigDecimal("5"),
                        1.5f,
                        2.5,
                        new BigDecimal("100"),
                        "2024-02-29",
                        "01:02:03.000004",
                        "2024-02-29 01:02:03",
                        "2024-02-29 00:02:03+00",
                        "00:00:01.5",
                        Arrays.asList(1, null),
                        List.of(List.of(new org.apache.arrow.vector.util.Text("a")), List.of())));
    }

    @Test
    void outOfMemoryIsMemory() {
        DuckDbSettings small =
                new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 64L << 20, 1L << 20, 2, 4);
        try (DuckDbEngine tight = DuckDbEngine.open(small)) {
            for (String sql : List.of(
                    "select list(i) from range(50000000) t(i)",
                    "select i from range(50000000) t(i) order by hash(i)")) {
                EngineException failure =
                        catchThrowableOfType(EngineException.class, () -> Rows.of(tight, query(Access.READ, sql)));
                assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.MEMORY);
                assertThat(failure.sqlState()).startsWith("53");
                assertThat(Rows.of(tight, query(Access.READ, "select 1"))).containsExactly(List.of(1));
            }
        }
    }

    @Test
    void aWriteOverAnotherOpenWriteConflicts() throws Exception {
        run(Access.WRITE, "create table w (i int, x int)");
        run(Access.WRITE, "insert into w values (1, 0)");
        try (DuckDBConnection other = engine.database().duplicate();
                Statement statement = other.createStatement()) {
            statement.execute("begin");
            statement.execute("update w set x = 1");
            EngineException failure = failure(Access.WRITE, "update w set x = 2");
            assertThat(failure.failure()).isEqualTo(EngineFailure.WRITE_CONFLICT);
            assertThat(failure.sqlState()).isEqualTo("40001");
            statement.execute("rollback");
        }
        assertThat(run(Access.READ, "select x from w")).containsExactly(List.of(0));
    }

    @Test
    void aSessionsUnknownSchemaIsRefused() {
        SessionSettings nowhere = new SessionSettings(null, "nowhere", null);
        EngineQuery query = new EngineQuery("q", "select 1", Access.READ, nowhere, List.of(), 10);
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.of(engine, query));
        assertThat(failure.sqlState()).isEqualTo("3F000");
        SessionSettings noZone = new SessionSettings(null, null, "Mars/Olympus'");
        EngineQuery zoned = new EngineQuery("q", "select 1", Access.READ, noZone, List.of(), 10);
        assertThat(catchThrowableOfType(EngineException.class, () -> Rows.of(engine, zoned))
                        .failure())
                .isEqualTo(EngineFailure.BINDING);
    }

    @Test
    void aSessionsSchemaIsUsed() {
        run(Access.WRITE, "create schema other");
        run(Access.WRITE, "create table other.x (i int)");
        SessionSettings other = new SessionSettings("memory", "other", null);
        EngineQuery query = new EngineQuery("q", "select count(*) from x", Access.READ, other, List.of(), 10);
        assertThat(Rows.of(engine, query)).containsExactly(List.of(0L));
    }

    @Test
    void aWriteWhoseRowsFailChangesNothing() {
        EngineException failure =
                failure(Access.WRITE, "insert into t values (9, 'x', 1, null) returning (s || i)::int");
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(run(Access.READ, "select count(*) from t where i = 9")).containsExactly(List.of(0L));
    }

    @Test
    void aFatalErrorIsALostEngine() {
        EngineException lost = ErrorTranslator.translate(
                new SQLException(
                        "{\"exception_type\":\"FATAL\",\"exception_message\":\"database has been invalidated\"}"),
                null);
        assertThat(lost.failure()).isEqualTo(EngineFailure.LOST);
        EngineHealth health = new EngineHealth();
        health.observe(new EngineException(EngineFailure.EXECUTION, "x"));
        assertThat(health.isLost()).isFalse();
        health.observe(lost);
        assertThat(health.isLost()).isTrue();
    }

    @Test
    void listsOfDecimalsTakeTheLargestScale() {
        assertThat(run(Access.READ, "select ?::varchar", List.of(new BigDecimal("1.5"), new BigDecimal("2.25"))))
                .containsExactly(List.of("[1.50, 2.25]"));
    }

    @Test
    void textsAreCleaned() {
        assertThat(ErrorTranslator.clean("Cannot access file \"/etc/passwd\" - disabled\n\nLINE 1: select\n  ^"))
                .isEqualTo("Cannot access file \"...\" - disabled");
        assertThat(ErrorTranslator.clean("get_next failed(): x\n\tat java.lang.Foo.bar(Foo.java:1)"))
                .isEqualTo("get_next failed(): x");
        assertThat(ErrorTranslator.clean("syntax error at or near \"select secret from somewhere\""))
                .isEqualTo("syntax error");
        assertThat(ErrorTranslator.clean("syntax error at or near \"selec\"")).contains("selec");
    }

    @Test
    void aReadThatFailsOnceForNoFaultOfItsOwnSucceeds() {
        run(Access.WRITE, "create sequence once");
        assertThat(run(Access.WRITE, "select case when nextval('once') = 1 then error('first') else 'later' end as x"))
                .containsExactly(List.of("later"));
        assertThat(failure(Access.WRITE, "select error('always') as x where nextval('once') > 0"))
                .hasMessageContaining("always");
        run(Access.WRITE, "drop sequence once");
    }
}
