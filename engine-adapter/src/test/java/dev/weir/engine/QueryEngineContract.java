package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.vector.types.pojo.Schema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every engine must do. A subclass makes the engine, with an empty writable database that speaks DuckDB's SQL; the
 * kit checks after each test that no result, no call and no byte is left.
 */
public abstract class QueryEngineContract {

    private static final AtomicInteger ids = new AtomicInteger();

    /** The engine under test. */
    protected QueryEngine engine;

    /** Makes an engine; called before each test. */
    protected abstract QueryEngine open() throws Exception;

    @BeforeEach
    void openEngine() throws Exception {
        engine = open();
    }

    @AfterEach
    void nothingIsLeft() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
        engine.close();
    }

    /** A query with an id of its own. */
    protected static EngineQuery query(String sql, Access access, Object... parameters) {
        List<List<Object>> rows = parameters.length == 0 ? List.of() : List.of(Arrays.asList(parameters));
        return new EngineQuery(
                "q" + ids.incrementAndGet(), sql, access, SessionSettings.NONE, rows, EngineQuery.DEFAULT_BATCH_ROWS);
    }

    /** A read's rows. */
    protected List<List<Object>> read(String sql, Object... parameters) {
        return Rows.of(engine, query(sql, Access.READ, parameters));
    }

    /** Runs a changing statement. */
    protected long write(String sql, Object... parameters) {
        ArrowResult result =
                Rows.await(engine.execute(query(sql, Access.ADMIN, parameters)).result());
        long count = result.updateCount().orElse(-1);
        Rows.drain(result);
        return count;
    }

    /** What a statement fails with, wherever it fails. */
    protected EngineException failure(EngineQuery query) {
        return catchThrowableOfType(EngineException.class, () -> Rows.of(engine, query));
    }

    @Test
    void aReadGivesItsRows() {
        assertThat(read("select 1 as a, 'x' as b union all select 2, null order by 1"))
                .containsExactly(List.of(1, "x"), Arrays.asList(2, null));
    }

    @Test
    void anEmptyResultHasItsSchemaAndEnds() {
        ArrowResult result = Rows.await(
                engine.execute(query("select 1 as a where false", Access.READ)).result());
        assertThat(result.schema().getFields()).extracting("name").containsExactly("a");
        assertThat(Rows.drain(result)).isEmpty();
    }

    @Test
    void batchesHaveTheRowsThatWereAskedFor() {
        EngineQuery asked = new EngineQuery(
                "q", "select i from range(2500) t(i)", Access.READ, SessionSettings.NONE, List.of(), 1000);
        try (ArrowResult result = Rows.await(engine.execute(asked).result())) {
            int[] sizes = new int[3];
            for (int i = 0; i < 3; i++) {
                assertThat(Rows.await(result.next())).isTrue();
                sizes[i] = result.root().getRowCount();
            }
            assertThat(sizes).containsExactly(1000, 1000, 500);
            assertThat(Rows.await(result.next())).isFalse();
            assertThat(Rows.await(result.next())).isFalse();
        }
    }

    @Test
    void oneRootServesAllBatches() {
        try (ArrowResult result = Rows.await(engine.execute(query("select i from range(100000) t(i)", Access.READ))
                .result())) {
            var root = result.root();
            while (Rows.await(result.next())) {
                assertThat(result.root()).isSameAs(root);
            }
        }
    }

    @Test
    void parametersAreBound() {
        UUID uuid = UUID.fromString("ffffffff-1234-5678-9abc-000000000001");
        assertThat(read(
                        "select ?::int + 1, ?::varchar, ?::uuid, ?::decimal(10,2)",
                        41,
                        "é",
                        uuid,
                        new BigDecimal("1.5")))
                .containsExactly(List.of(42, "é", uuid.toString(), new BigDecimal("1.50")));
        assertThat(read("select ?::int", new Object[] {null})).containsExactly(Arrays.asList((Object) null));
    }

    @Test
    void changingStatementsTellHowManyRowsTheyChanged() {
        assertThat(write("create table t (i int, s varchar)")).isZero();
        assertThat(write("insert into t values (1, 'a'), (2, 'b')")).isEqualTo(2);
        assertThat(write("update t set s = 'c' where i = ?", 2)).isEqualTo(1);
        assertThat(read("select * from t order by i")).containsExactly(List.of(1, "a"), List.of(2, "c"));
    }

    @Test
    void severalParameterRowsChangeAllOrNothing() {
        write("create table t (i int primary key)");
        EngineQuery good = new EngineQuery(
                "q",
                "insert into t values (?)",
                Access.WRITE,
                SessionSettings.NONE,
                List.of(List.of(1), List.of(2)),
                10);
        try (ArrowResult result = Rows.await(engine.execute(good).result())) {
            assertThat(result.updateCount()).hasValue(2);
        }
        EngineQuery bad = new EngineQuery(
                "q",
                "insert into t values (?)",
                Access.WRITE,
                SessionSettings.NONE,
                List.of(List.of(3), List.of(1)),
                10);
        assertThat(failure(bad).failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(read("select count(*) from t")).containsExactly(List.of(2L));
    }

    @Test
    void returningGivesRows() {
        write("create table t (i int)");
        assertThat(Rows.of(engine, query("insert into t values (1), (2) returning i * 10 as x", Access.WRITE)))
                .containsExactly(List.of(10), List.of(20));
    }

    @Test
    void describingEqualsExecuting() {
        write("create table t (i int, d decimal(10,2), ts timestamptz, l varchar[])");
        for (String sql : List.of("select * from t", "select count(*), sum(i), now() from t", "from t select i, l")) {
            Schema described = Rows.await(
                            engine.describe(query(sql, Access.READ)).result())
                    .schema();
            ArrowResult result =
                    Rows.await(engine.execute(query(sql, Access.READ)).result());
            assertThat(result.schema()).isEqualTo(described);
            Rows.drain(result);
        }
    }

    @Test
    void describingChangesNothing() {
        write("create table t (i int)");
        StatementDescription insert = Rows.await(
                engine.describe(query("insert into t values (?)", Access.WRITE)).result());
        assertThat(insert.schema().getFields()).isEmpty();
        assertThat(insert.parameters().getFields()).hasSize(1);
        assertThat(read("select count(*) from t")).containsExactly(List.of(0L));
    }

    @Test
    void describingSeesWhatWasChangedBefore() {
        write("create table t (i int)");
        EngineQuery all = query("select * from t", Access.READ);
        assertThat(Rows.await(engine.describe(all).result()).schema().getFields())
                .hasSize(1);
        write("alter table t add column j int");
        assertThat(Rows.await(engine.describe(all).result()).schema().getFields())
                .hasSize(2);
    }

    @Test
    void failuresAreClassified() {
        write("create table t (i int)");
        assertThat(failure(query("selec 1", Access.READ)).failure()).isEqualTo(EngineFailure.SYNTAX);
        assertThat(failure(query("select * from nope", Access.READ)).failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure(query("select nope from t", Access.READ)).failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure(query("select 'x'::int", Access.READ)).failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure(query("insert into t values (1)", Access.READ)).failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
        assertThat(failure(query("select ?::int", Access.READ)).failure()).isEqualTo(EngineFailure.INVALID_PARAMETER);
        assertThat(failure(query("select ?::int", Access.READ, 1, 2)).failure())
                .isEqualTo(EngineFailure.INVALID_PARAMETER);
        assertThat(failure(query("begin", Access.ADMIN)).failure()).isEqualTo(EngineFailure.UNSUPPORTED);
    }

    @Test
    void aFailureInTheMiddleOfAStreamFailsTheStream() {
        EngineQuery query = query("select 1 // (i - 3000000) from range(5000000) t(i)", Access.READ);
        EngineException failure = failure(query);
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure.sqlState()).isEqualTo("22012");
    }

    @Test
    void cancellingBeforeTheFirstBatchStopsTheEngine() {
        EngineCall<ArrowResult> call = engine.execute(
                query("select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7", Access.READ));
        Awaitility.await().until(() -> engine.stats().activeCalls() == 1);
        call.cancel();
        assertThatThrownBy(() -> Rows.await(call.result()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED));
        Rows.await(call.stopped());
    }

    @Test
    void cancellingAtOnceStopsTheEngine() {
        EngineCall<ArrowResult> call = engine.execute(query("select 1", Access.READ));
        call.cancel();
        try {
            Rows.await(call.result()).close();
        } catch (EngineException e) {
            assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED);
        }
        Rows.await(call.stopped());
    }

    @Test
    void cancellingBetweenBatchesStopsTheEngine() {
        ArrowResult result = Rows.await(engine.execute(query("select i from range(100000000) t(i)", Access.READ))
                .result());
        assertThat(Rows.await(result.next())).isTrue();
        result.cancel();
        Rows.await(result.stopped());
        assertThatThrownBy(() -> Rows.await(result.next()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED));
        result.close();
    }

    /** A result after its first batch; the others take seconds each. */
    private ArrowResult stalling() {
        String sql =
                "select case when i < 122880 then 0 else list_sum(range(i, i + 3000)) end from range(10000000) t(i)";
        ArrowResult result = Rows.await(
                engine.execute(new EngineQuery("stalling", sql, Access.READ, SessionSettings.NONE, List.of(), 122_880))
                        .result());
        assertThat(Rows.await(result.next())).isTrue();
        return result;
    }

    @Test
    void cancellingWhileABatchIsReadFailsThatBatch() {
        ArrowResult result = stalling();
        var batch = result.next();
        result.cancel();
        assertThatThrownBy(() -> Rows.await(batch))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED));
        Rows.await(result.stopped());
    }

    @Test
    void closingIsIdempotentAndStopsTheEngine() {
        ArrowResult result = Rows.await(engine.execute(query("select i from range(100000000) t(i)", Access.READ))
                .result());
        assertThat(Rows.await(result.next())).isTrue();
        result.close();
        result.close();
        result.cancel();
        Rows.await(result.stopped());
        assertThat(engine.stats().openResults()).isZero();
    }

    @Test
    void cancelHitsItsOwnQueryOnly() {
        ArrowResult kept = Rows.await(engine.execute(query("select i from range(3000000) t(i)", Access.READ))
                .result());
        for (int i = 0; i < 50; i++) {
            EngineCall<ArrowResult> call =
                    engine.execute(query("select count(*) from range(100000000) t(i)", Access.READ));
            call.cancel();
            Rows.await(call.stopped());
        }
        assertThat(Rows.count(kept)).isEqualTo(3_000_000);
    }

    @Test
    void aSecondNextWhileOneIsOpenIsAnError() {
        ArrowResult result = stalling();
        result.next();
        assertThatThrownBy(result::next).isInstanceOf(IllegalStateException.class);
        result.close();
    }

    private List<List<Object>> metadata(MetadataRequest request) {
        return Rows.drain(Rows.await(engine.metadata(request).result()));
    }

    @Test
    void metadataListsTablesByPattern() {
        write("create table a_b (i int not null)");
        write("create table axb (i int)");
        write("create view v as select * from axb");
        MetadataRequest all = MetadataRequest.of(MetadataRequest.Kind.TABLES);
        assertThat(metadata(all)).extracting(row -> row.get(2)).containsExactly("a_b", "axb", "v");
        assertThat(metadata(all)).extracting(row -> row.get(3)).containsExactly("TABLE", "TABLE", "VIEW");
        assertThat(metadata(tables("a_b", List.of()))).hasSize(2);
        assertThat(metadata(tables("a\\_b", List.of()))).hasSize(1);
        assertThat(metadata(tables("%", List.of("VIEW")))).hasSize(1);
        assertThat(metadata(tables("\\", List.of()))).isEmpty();
        assertThat(metadata(MetadataRequest.of(MetadataRequest.Kind.SCHEMAS)))
                .extracting(row -> row.get(1))
                .contains("main")
                .doesNotContain("information_schema", "pg_catalog");
        assertThat(metadata(MetadataRequest.of(MetadataRequest.Kind.CATALOGS))).hasSize(1);
        assertThat(metadata(MetadataRequest.of(MetadataRequest.Kind.TABLE_TYPES)))
                .containsExactly(List.of("LOCAL TEMPORARY"), List.of("TABLE"), List.of("VIEW"));
    }

    private static MetadataRequest tables(String pattern, List<String> types) {
        return new MetadataRequest(MetadataRequest.Kind.TABLES, null, null, pattern, types, false);
    }

    @Test
    void checkAnswers() {
        Rows.await(engine.check().result());
    }

    @Test
    void aClosedEngineRefusesWithUnavailable() {
        engine.close();
        engine.close();
        assertThat(failure(query("select 1", Access.READ)).failure()).isEqualTo(EngineFailure.UNAVAILABLE);
        assertThatThrownBy(() -> Rows.await(engine.check().result()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.UNAVAILABLE));
    }

    @Test
    void closingTheEngineCancelsWhatRuns() {
        EngineCall<ArrowResult> call = engine.execute(
                query("select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7", Access.READ));
        Awaitility.await().until(() -> engine.stats().activeCalls() == 1);
        engine.close();
        Rows.await(call.stopped());
        assertThatThrownBy(() -> Rows.await(call.result())).isInstanceOf(EngineException.class);
    }
}
