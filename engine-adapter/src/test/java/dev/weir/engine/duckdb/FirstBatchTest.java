package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A result opens with its first batch. */
class FirstBatchTest {

    @TempDir
    Path directory;

    private QueryEngine engine;

    @BeforeEach
    void open() {
        engine = DuckDbEngine.open(TestDatabases.inMemory(directory));
    }

    @AfterEach
    void nothingIsLeft() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
        engine.close();
    }

    private static EngineQuery query(String sql, int batchRows) {
        return new EngineQuery("q", sql, Access.READ, SessionSettings.NONE, List.of(), batchRows);
    }

    private ArrowResult run(String sql) {
        return Rows.await(
                engine.execute(query(sql, EngineQuery.DEFAULT_BATCH_ROWS)).result());
    }

    @Test
    void theFirstBatchIsThereWhenTheResultOpens() {
        ArrowResult result = run("select 42");
        assertThat(result.next()).isCompletedWithValue(true);
        assertThat(result.root().getRowCount()).isEqualTo(1);
        assertThat(Rows.await(result.next())).isFalse();
        Rows.await(result.stopped());
        result.close();
    }

    @Test
    void anEmptyResultEnds() {
        ArrowResult result = run("select 42 where false");
        assertThat(Rows.await(result.next())).isFalse();
        Rows.await(result.stopped());
    }

    @Test
    void whatFailsInTheFirstBatchOpensNoResult() {
        assertThatThrownBy(() -> run("select [date '2020-01-01', 'infinity'::date][i::int + 1] from range(2) t(i)"))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.EXECUTION));
    }

    @Test
    void aBatchThatIsFullMayBeTheLast() {
        assertThat(Rows.of(engine, query("select i from range(4096) t(i)", 2048)))
                .hasSize(4096);
    }
}
