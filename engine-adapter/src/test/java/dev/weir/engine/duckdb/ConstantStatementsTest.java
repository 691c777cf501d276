package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statements that share connections, since they can leave nothing behind. */
class ConstantStatementsTest extends DuckDbTestBase {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1",
                "SELECT 'from t' as \"into\", 2.5, null",
                "select ? + 1",
                "select current_date, current_timestamp -- from t",
                "select 1 order by 1 desc limit 1",
                "select date '2026-01-01'::varchar as d",
                "select 1;",
            })
    void constants(String sql) {
        assertThat(StatementScanner.scan(sql).constant()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1 from t",
                "from t select 1",
                "select nextval('s')",
                "select (select 1)",
                "select [1]",
                "select {'a': 1}",
                "with x as (select 1) select 2",
                "values (1)",
                "table t",
                "select 1 union table t",
                "select null as x union all by name summarize t",
                "select 1 as a union all by name pivot t on k",
                "select 1 as a except unpivot t on a",
                "select 1 intersect all describe t",
                "select 1 into x",
                "explain select 1",
                "show tables",
                "insert into t select 1",
            })
    void others(String sql) {
        boolean constant;
        try {
            constant = StatementScanner.scan(sql).constant();
        } catch (dev.weir.engine.EngineException e) {
            constant = false;
        }
        assertThat(constant).isFalse();
    }

    @Test
    void aLongOneIsPlannedLikeAnyOther() {
        assertThat(StatementScanner.scan("select 1" + " + 1".repeat(31)).constant())
                .isTrue();
        assertThat(StatementScanner.scan("select 1" + " + 1".repeat(32)).constant())
                .isFalse();
    }

    @Test
    void theirConnectionsAloneHaveNoOptimizer() throws Exception {
        DatabaseOpener.Opened opened = new DatabaseOpener(TestDatabases.inMemory(directory)).open();
        try (DuckDBConnection others = opened.connections();
                DuckDBConnection constants = opened.constants()) {
            assertThat(optimizes(others)).isTrue();
            assertThat(optimizes(constants)).isFalse();
        }
    }

    private static boolean optimizes(DuckDBConnection template) throws Exception {
        try (Connection connection = template.duplicate();
                Statement statement = connection.createStatement();
                ResultSet setting =
                        statement.executeQuery("select value from duckdb_settings() where name = 'enable_optimizer'")) {
            setting.next();
            return setting.getBoolean(1);
        }
    }

    @Test
    void aFailureHasItsTextAndTheNextOneIsFine() {
        for (int i = 0; i < 20; i++) {
            assertThat(failure(Access.READ, "select 'x' || ? :: integer", "y").failure())
                    .isEqualTo(EngineFailure.INVALID_PARAMETER);
            assertThat(failure(Access.READ, "select 'x'::integer")).hasMessageContaining("Could not convert");
            assertThat(failure(Access.READ, "select absent").failure()).isEqualTo(EngineFailure.BINDING);
            assertThat(run(Access.READ, "select ? + 1", i)).containsExactly(List.of(i + 1));
        }
    }

    @Test
    void manyAtOnceHaveConnectionsOfTheirOwn() {
        List<ArrowResult> open = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            open.add(
                    Rows.await(engine.execute(query(Access.READ, "select " + i)).result()));
        }
        for (int i = 0; i < 20; i++) {
            assertThat(Rows.drain(open.get(i))).containsExactly(List.of(i));
        }
        assertThat(run(Access.READ, "select 7")).containsExactly(List.of(7));
    }

    @Test
    void oneThatIsCancelledLeavesNothingBehind() {
        for (int i = 0; i < 50; i++) {
            ArrowResult result =
                    Rows.await(engine.execute(query(Access.READ, "select 1")).result());
            result.cancel();
            result.close();
            Rows.await(result.stopped());
            assertThat(run(Access.READ, "select 2")).containsExactly(List.of(2));
        }
    }

    @Test
    void settingsOfASessionCount() {
        run(Access.ADMIN, "create schema if not exists s");
        String here = "select current_schema as s, timestamptz '2026-01-01 00:00:00+00' :: varchar as t";
        SessionSettings settings = new SessionSettings(null, "s", "Asia/Tokyo");
        EngineQuery inSession =
                new EngineQuery("q", here, Access.READ, settings, List.of(), EngineQuery.DEFAULT_BATCH_ROWS);
        for (int i = 0; i < 3; i++) {
            assertThat(Rows.of(engine, inSession)).containsExactly(List.of("s", "2026-01-01 09:00:00+09"));
            assertThat(run(Access.READ, here)).containsExactly(List.of("main", "2026-01-01 00:00:00+00"));
        }
    }
}
