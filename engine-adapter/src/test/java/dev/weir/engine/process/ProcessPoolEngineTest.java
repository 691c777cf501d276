package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.duckdb.DuckDbEngine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queries in real processes, and what one of them can do to another. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessPoolEngineTest {

    private static final int SLOTS = 3;

    /** Reads in the manner of TPC-H. */
    private static final List<String> READS = List.of(
            "select l_flag, count(*), sum(l_quantity), avg(l_price) from lines group by 1 order by 1",
            "select o_customer, sum(l_price * l_quantity) as s from lines join orders on l_order = o_key"
                    + " where o_date < date '1995-01-01' group by 1 order by s desc, 1 limit 20",
            "select sum(l_price) from lines where l_quantity < 24 and l_comment like '%77%'",
            "select o_key, o_date from orders where o_key between 500 and 520 order by 1",
            "select count(distinct l_comment), max(o_date) from lines, orders where l_order = o_key");

    private Path directory;
    private Path database;
    private ProcessPoolEngine engine;

    @BeforeAll
    void open(@TempDir Path temporary) throws Exception {
        directory = temporary;
        database = Databases.withLines(temporary.resolve("lines.duckdb"));
        engine = ProcessPoolEngine.open(Databases.pool(database, temporary.resolve("processes"), SLOTS, 1L << 30));
    }

    /** The test before may have cost a process, whose successor is still starting. */
    @BeforeEach
    void everyProcessIsThere() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.nodes()).hasSize(SLOTS + 1));
    }

    @AfterEach
    void nothingIsLeft() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
    }

    @AfterAll
    void close() throws Exception {
        Set<Long> pids = pids();
        engine.close();
        assertThat(pids).noneMatch(pid -> ProcessHandle.of(pid).isPresent());
        assertThat(Directories.list(directory
                        .resolve("processes")
                        .resolve(Long.toString(ProcessHandle.current().pid()))))
                .isEmpty();
    }

    private Set<Long> pids() {
        return engine.nodes().stream()
                .map(node -> Long.parseLong(node.address().substring("pid ".length())))
                .collect(Collectors.toSet());
    }

    /** The process of the query that runs; the shared one runs none. */
    private long pidOfRunning() {
        return engine.nodes().stream()
                .filter(node -> node.slots() == 1 && node.running() == 1)
                .map(node -> Long.parseLong(node.address().substring("pid ".length())))
                .findFirst()
                .orElseThrow();
    }

    private static EngineQuery query(String sql) {
        return Databases.query(sql, Access.READ);
    }

    private ArrowResult start(String sql) {
        return Rows.await(engine.execute(query(sql)).result());
    }

    private EngineException failure(String sql) {
        return catchThrowableOfType(EngineException.class, () -> Rows.of(engine, query(sql)));
    }

    @Test
    void readsGiveWhatTheyGiveInProcess() throws Exception {
        Path copy = Files.copy(database, directory.resolve("copy.duckdb"));
        try (DuckDbEngine inProcess = DuckDbEngine.open(
                Databases.settings(copy, true, directory.resolve("in-process"), 1L << 30, 1L << 30))) {
            for (String sql : READS) {
                assertThat(Rows.of(engine, query(sql))).isEqualTo(Rows.of(inProcess, query(sql)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select count(*) from unnest(range(100000000))",
                "select max(length(repeat(repeat('x', 10000), 20000) || l_comment)) from lines",
                "select length(list(l_comment || repeat('y', 1000))::varchar) from lines",
                "select len(range(100000000))"
            })
    void aHogGetsMemoryLimitAndItsNeighbourNothing(String hog) {
        AddressSpaceCheck.assumeLimited(engine);
        try (ArrowResult neighbour = start("select i from range(3000000) t(i)")) {
            assertThat(Rows.await(neighbour.next())).isTrue();
            EngineException failure = failure(hog);
            assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.MEMORY);
            assertThat(failure)
                    .hasMessageContaining("weir.admission.memory.per-query")
                    .hasMessageContaining(Long.toString(Databases.LIMIT));
            assertThat(neighbour.root().getRowCount() + Rows.count(neighbour)).isEqualTo(3_000_000);
        }
        for (int i = 0; i < SLOTS; i++) {
            assertThat(Rows.of(engine, query("select count(*) from lines"))).containsExactly(List.of(500_000L));
        }
    }

    @Test
    void aSortWithoutRoomForTempFilesGetsMemoryLimit() throws Exception {
        try (ProcessPoolEngine tight =
                ProcessPoolEngine.open(Databases.pool(database, directory.resolve("tight"), 1, 0))) {
            EngineException failure = catchThrowableOfType(
                    EngineException.class,
                    () -> Rows.count(Rows.await(tight.execute(
                                    query("select a.l_comment || b.i as c from lines a, range(20) b(i) order by c"))
                            .result())));
            assertThat(failure.failure()).isEqualTo(EngineFailure.MEMORY);
            assertThat(Rows.of(tight, query("select 1"))).containsExactly(List.of(1));
        }
    }

    @Test
    void aProcessThatIsKilledLosesItsOwnQueryOnlyAndIsReplaced() {
        ArrowResult lost = start("select i from range(100000000) t(i)");
        assertThat(Rows.await(lost.next())).isTrue();
        long pid = pidOfRunning();
        ArrowResult other = start("select i from range(3000000) t(i)");
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.count(lost));
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
        assertThat(Rows.count(other)).isEqualTo(3_000_000);
        Awaitility.await()
                .untilAsserted(() -> assertThat(pids()).hasSize(SLOTS + 1).doesNotContain(pid));
        assertThat(Rows.of(engine, query("select 42"))).containsExactly(List.of(42));
    }

    @Test
    void aStatementThatCannotBeInterruptedEndsWithItsProcess() {
        EngineCall<ArrowResult> call =
                engine.execute(query("select levenshtein(repeat('a', 300000), repeat('b', 300000))"));
        Awaitility.await().until(() -> engine.stats().activeCalls() == 1);
        long pid = pidOfRunning();
        call.cancel();
        Rows.await(call.stopped());
        Awaitility.await().until(() -> ProcessHandle.of(pid).isEmpty());
        assertThat(Rows.of(engine, query("select 42"))).containsExactly(List.of(42));
    }

    @Test
    void cancellingKeepsTheProcess() {
        Set<Long> before = pids();
        ArrowResult result = start("select i from range(100000000) t(i)");
        assertThat(Rows.await(result.next())).isTrue();
        result.close();
        Rows.await(result.stopped());
        assertThat(pids()).isEqualTo(before);
    }

    @Test
    void beyondTheSlotsIsBusy() {
        List<ArrowResult> all = List.of(
                start("select i from range(10000000) t(i)"),
                start("select i from range(10000000) t(i)"),
                start("select i from range(10000000) t(i)"));
        assertThat(failure("select 1").failure()).isEqualTo(EngineFailure.BUSY);
        EngineQuery little = new EngineQuery(
                "q",
                "select 1",
                Access.READ,
                SessionSettings.NONE,
                List.of(),
                10,
                new QueryContext("u", 0, true, null));
        assertThat(Rows.of(engine, little)).containsExactly(List.of(1));
        all.forEach(ArrowResult::close);
        all.forEach(result -> Rows.await(result.stopped()));
        assertThat(engine.capacity().slots()).isEqualTo(SLOTS);
        assertThat(engine.capacity().memoryBytes()).isEqualTo(SLOTS * Databases.LIMIT);
    }

    private static EngineQuery promised(String sql, long bytes, boolean shortQuery) {
        return new EngineQuery(
                "q",
                sql,
                Access.ADMIN,
                SessionSettings.NONE,
                List.of(),
                10,
                new QueryContext("u", bytes, shortQuery, null));
    }

    /** Of half a gigabyte. */
    private static final String LARGE = "select len(list(l_comment || repeat('y', 1000))) from lines";

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aQueryThatWasPromisedMoreMayUseMore(boolean shortQuery) {
        assertThat(Rows.of(engine, promised(LARGE, 2L << 30, shortQuery))).containsExactly(List.of(500_000L));
    }

    /** About 100 MB that cannot go to disk. */
    private static final String MIDDLING = "select len(list(l_comment || repeat('y', 140))) from lines";

    @Test
    void aQueryThatWasPromisedLessIsHeldToThatAndTheNextToItsOwn() {
        for (int i = 0; i < SLOTS; i++) {
            assertThat(Rows.of(engine, promised(MIDDLING, 0, false))).containsExactly(List.of(500_000L));
        }
        long less = 64L << 20;
        EngineException failure =
                catchThrowableOfType(EngineException.class, () -> Rows.of(engine, promised(MIDDLING, less, false)));
        assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.MEMORY);
        assertThat(failure).hasMessageContaining(Long.toString(less));
        everyProcessIsThere();
        String limit = "select current_setting('memory_limit')";
        assertThat(Rows.of(engine, promised(limit, less, false))).containsExactly(List.of("64.0 MiB"));
        assertThat(Rows.of(engine, promised(limit, 0, false))).containsExactly(List.of("300.0 MiB"));
        assertThat(Rows.of(engine, promised(limit, less, false))).containsExactly(List.of("64.0 MiB"));
        assertThat(Rows.of(engine, promised(limit, less, true)))
                .as("short ones have all of a process")
                .containsExactly(List.of("300.0 MiB"));
        assertThat(Rows.of(engine, promised(MIDDLING, Databases.LIMIT, false))).containsExactly(List.of(500_000L));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set memory_limit = '1GB'",
                "set global memory_limit = '1GB'",
                "pragma memory_limit = '1GB'",
                "reset memory_limit",
                "set max_memory = '1GB'",
                "pragma max_memory = '1GB'"
            })
    void noStatementChangesTheLimitOfAnother(String sql) {
        for (int i = 0; i < SLOTS; i++) {
            try {
                Rows.of(engine, Databases.query(sql, Access.ADMIN));
            } catch (EngineException refused) {
                assertThat(refused.failure()).isEqualTo(EngineFailure.FORBIDDEN);
            }
            assertThat(Rows.of(engine, promised("select current_setting('memory_limit')", 0, false)))
                    .containsExactly(List.of("300.0 MiB"));
        }
    }

    @Test
    void describingAndTheCatalogAnswer() {
        assertThat(Rows.await(engine.describe(query("select * from lines")).result())
                        .schema()
                        .getFields())
                .hasSize(6);
        assertThat(Rows.drain(Rows.await(engine.metadata(MetadataRequest.of(MetadataRequest.Kind.TABLES))
                        .result())))
                .extracting(row -> row.get(2))
                .containsExactly("lines", "orders");
        Rows.await(engine.check().result());
    }

    @Test
    void aWriteIsForbidden() {
        EngineException failure = catchThrowableOfType(
                EngineException.class, () -> Rows.of(engine, Databases.query("create table t (i int)", Access.ADMIN)));
        assertThat(failure.failure()).isEqualTo(EngineFailure.FORBIDDEN);
        assertThat(engine.info().readOnly()).isTrue();
    }

    @Test
    void thePeakOfAQueryIsMeasured() {
        AddressSpaceCheck.assumeLinux();
        ArrowResult small = start("select 1");
        Rows.drain(small);
        ArrowResult large = start("select count(*) from (select distinct l_comment || l_order as x from lines)");
        Rows.drain(large);
        assertThat(large.peakMemoryBytes().orElseThrow())
                .isGreaterThan(20L << 20)
                .isLessThan(2 * Databases.LIMIT);
    }

    @Test
    void nodesTellTheirLimit() {
        AddressSpaceCheck.assumeLimited(engine);
        assertThat(engine.nodes())
                .hasSize(SLOTS + 1)
                .extracting(EngineNode::limit)
                .allMatch(limit -> limit.equals("cgroup") || limit.equals("address-space"));
    }
}
