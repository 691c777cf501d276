package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.Rows;
import dev.weir.engine.StatementDescription;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Texts that end or block a process that takes them as they are. */
class DuckDbHostileTest extends DuckDbTestBase {

    private void staysWell() {
        assertThat(run(Access.READ, "select 1")).containsExactly(List.of(1));
    }

    @Test
    void whatTheScanRefusesNeverReachesDuckDb() {
        for (String sql : List.of(
                "select " + "[".repeat(900) + "1" + "]".repeat(900),
                "select * from (".repeat(20_000) + "select 1" + ")".repeat(20_000),
                "select count(*) from range(1) t" + ", range(1) t".repeat(1_000),
                "select " + "@ ".repeat(400_000) + "1")) {
            assertThat(failure(Access.READ, sql).failure()).isEqualTo(EngineFailure.TOO_LARGE);
        }
        staysWell();
    }

    @Test
    void whatTheScanLetsThroughAtItsLimitsDoesNotCrash() {
        StringBuilder cross = new StringBuilder("select count(*) from range(1) t0");
        for (int i = 1; i <= 60; i++) {
            cross.append(", range(1) t").append(i);
        }
        for (String sql : List.of(
                "select " + "[".repeat(200) + "1" + "]".repeat(200),
                "select * from (".repeat(200) + "select 1" + ")".repeat(200),
                "select " + "(select ".repeat(200) + "1" + ")".repeat(200),
                "select 1 where " + "exists (select 1 where ".repeat(199) + "true" + ")".repeat(199),
                "select " + "struct_pack(a := ".repeat(200) + "1" + ")".repeat(200),
                "select " + "- ".repeat(1_000) + "1",
                "select " + "@ ".repeat(1_000) + "1",
                "select 1" + "+1".repeat(100_000),
                "select 1" + "::int".repeat(50_000),
                "select " + "case when true then ".repeat(10_000) + "1" + " end".repeat(10_000),
                "select 1" + " union all select 1".repeat(300),
                cross.toString())) {
            try {
                run(Access.READ, sql);
            } catch (EngineException e) {
                assertThat(e.failure())
                        .as(e.getMessage())
                        .isIn(EngineFailure.SYNTAX, EngineFailure.BINDING, EngineFailure.UNSUPPORTED);
                assertThat(e.getMessage()).containsAnyOf("depth", "deeper");
            }
        }
        staysWell();
    }

    @Test
    void describingIsCancelledAtOnceAndCountedUntilItStops() {
        EngineCall<StatementDescription> call = engine.describe(query(Access.READ, "select len(range(8000000))"));
        Awaitility.await().until(() -> engine.stats().activeCalls() == 1);
        call.cancel();
        assertThatThrownBy(() -> Rows.await(call.result()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED));
        staysWell();
        Rows.await(call.stopped());
        Awaitility.await().until(() -> engine.stats().unstopped() == 0);
    }

    @Test
    void aCallBeyondTheThreadsIsUnavailableAndChecksStillAnswer() {
        DuckDbSettings two =
                new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 1L << 30, 1L << 30, 2, 2);
        MetadataRequest catalogs = MetadataRequest.of(MetadataRequest.Kind.CATALOGS);
        String busy = "select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7";
        try (DuckDbEngine small = DuckDbEngine.open(two)) {
            // The thread of the start may be on its way out still.
            Awaitility.await().until(() -> small.stats().activeCalls() == 0);
            List<EngineCall<ArrowResult>> calls =
                    List.of(small.execute(query(Access.READ, busy)), small.execute(query(Access.READ, busy)));
            Awaitility.await().until(() -> small.stats().activeCalls() == 2);
            EngineException failure =
                    catchThrowableOfType(EngineException.class, () -> Rows.of(small, query(Access.READ, "select 1")));
            assertThat(failure.failure()).isEqualTo(EngineFailure.UNAVAILABLE);
            Rows.await(small.check().result());
            assertThat(Rows.drain(Rows.await(small.metadata(catalogs).result())))
                    .hasSize(1);
            calls.forEach(EngineCall::cancel);
            calls.forEach(call -> Rows.await(call.stopped()));
            Awaitility.await().until(() -> small.stats().activeCalls() == 0);
            assertThat(Rows.of(small, query(Access.READ, "select 1"))).containsExactly(List.of(1));
        }
    }
}
