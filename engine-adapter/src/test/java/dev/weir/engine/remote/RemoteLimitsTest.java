package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineMemory;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker enforces, whatever its gateway believes. */
class RemoteLimitsTest {

    private static final String LARGE = "select i from range(100000000) t(i)";
    private static final String ENDLESS =
            "select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7";

    @TempDir
    Path directory;

    private Loopback loopback;
    private RemoteEngine engine;

    @BeforeEach
    void open() {
        loopback = new Loopback(
                directory, Loopback.settings(2, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(8)));
        engine = loopback.connect();
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private static EngineQuery query(String sql, long memory, Duration timeLeft) {
        return Loopback.query(sql, 20_000, new QueryContext("ann", memory, false, timeLeft));
    }

    private EngineException failure(EngineQuery query) {
        return catchThrowableOfType(EngineException.class, () -> Rows.of(engine, query));
    }

    @Test
    void slots() {
        ArrowResult first = Rows.await(engine.execute(query(LARGE, 0, null)).result());
        ArrowResult second = Rows.await(engine.execute(query(LARGE, 0, null)).result());
        assertThat(failure(query("select 1", 0, null)).failure()).isEqualTo(EngineFailure.BUSY);
        assertThat(Rows.await(engine.report().result()).running()).isEqualTo(2);
        Rows.await(engine.check().result());
        first.close();
        Rows.await(first.stopped());
        assertThat(loopback.worker.running()).isEqualTo(1);
        assertThat(Rows.of(engine, query("select 1", 0, null))).containsExactly(List.of(1));
        assertThat(loopback.worker.running()).isEqualTo(1);
        second.close();
    }

    @Test
    void aSlotIsFreeWhenItsQueryHasStopped() {
        ArrowResult held = Rows.await(engine.execute(query(LARGE, 0, null)).result());
        for (int i = 0; i < 50; i++) {
            assertThat(Rows.of(engine, query("select 1", 0, null))).hasSize(1);
            assertThat(failure(query("selec 1", 0, null)).failure()).isEqualTo(EngineFailure.SYNTAX);
        }
        held.close();
    }

    @Test
    void memory() {
        long all = 1L << 30;
        ArrowResult held =
                Rows.await(engine.execute(query(LARGE, all - 10, null)).result());
        assertThat(failure(query("select 1", 11, null)).failure()).isEqualTo(EngineFailure.BUSY);
        assertThat(Rows.await(engine.report().result()).reservedBytes()).isEqualTo(all - 10);
        assertThat(Rows.of(engine, query("select 1", 10, null))).hasSize(1);
        held.close();
        Rows.await(held.stopped());
        assertThat(Rows.await(engine.report().result()).reservedBytes()).isZero();
    }

    @Test
    void aBatchInHandStaysWhenTheEngineIsClosed() {
        ArrowResult result = Rows.await(engine.execute(query(LARGE, 0, null)).result());
        assertThat(Rows.await(result.next())).isTrue();
        int rows = result.root().getRowCount();
        engine.close();
        assertThat(result.root().getVector(0).getObject(rows - 1)).isEqualTo((long) rows - 1);
        result.close();
    }

    @Test
    void theEnginesMemoryIsTold() {
        EngineMemory held = Rows.await(engine.memory());
        assertThat(held.bytes()).isNotNegative();
        assertThat(held.temporaryBytes()).isZero();
        loopback.worker.close();
        assertThat(Rows.await(engine.memory())).isEqualTo(EngineMemory.UNKNOWN);
    }

    @Test
    void deadlineWhileTheStatementRuns() {
        assertThat(failure(query(ENDLESS, 0, Duration.ofMillis(200))).failure()).isEqualTo(EngineFailure.TIMED_OUT);
        loopback.awaitNothing();
    }

    @Test
    void deadlineOfAReaderThatIsSlow() {
        ArrowResult result = Rows.await(
                engine.execute(query(LARGE, 0, Duration.ofMillis(500))).result());
        Awaitility.await().until(() -> loopback.worker.running() == 0);
        assertThat(catchThrowableOfType(EngineException.class, () -> Rows.count(result))
                        .failure())
                .isEqualTo(EngineFailure.TIMED_OUT);
    }

    @Test
    void theReportTellsWhatTheWorkerIs() {
        WorkerReport report = Rows.await(engine.report().result());
        assertThat(report.name()).isEqualTo("w");
        assertThat(report.engine()).isEqualTo(loopback.duck.info());
        assertThat(report.slots()).isEqualTo(2);
        assertThat(report.memoryBytes()).isEqualTo(1L << 30);
        assertThat(report.limit()).isEqualTo("none");
        assertThat(report.draining()).isFalse();
        assertThat(engine.info()).isEqualTo(loopback.duck.info());
    }

    @Test
    void aWrongSecretIsRefused() {
        byte[] wrong = Loopback.SECRET.clone();
        wrong[0]++;
        RemoteEngine stranger = loopback.connect(new RemoteSettings(
                "w", "127.0.0.1", loopback.worker.port(), null, wrong, Loopback.LONG, Loopback.LONG, Loopback.LONG));
        assertThatThrownBy(() -> Rows.of(stranger, query("select 1", 0, null)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.UNAVAILABLE))
                .hasMessageContaining("secret");
        assertThatThrownBy(() -> Rows.await(stranger.report().result())).hasMessageContaining("secret");
    }

    @Test
    void parametersThatNoMessageHoldsAreRefusedHere() {
        EngineQuery large = new EngineQuery(
                "q", "select ?", Access.READ, SessionSettings.NONE, List.of(List.of(new byte[60 << 20])), 10);
        assertThat(failure(large).failure()).isEqualTo(EngineFailure.TOO_LARGE);
    }

    @Test
    void aBatchThatNoMessageHoldsFails() {
        assertThat(failure(query("select repeat('x', 40000000) as a, repeat('y', 40000000) as b", 0, null))
                        .failure())
                .isEqualTo(EngineFailure.TOO_LARGE);
    }

    @Test
    void nobodyListens() throws IOException {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        RemoteEngine alone = loopback.connect(port, Loopback.LONG, Loopback.LONG, Loopback.LONG);
        for (int i = 0; i < 3; i++) {
            EngineException failure =
                    catchThrowableOfType(EngineException.class, () -> Rows.of(alone, query("select 1", 0, null)));
            assertThat(failure.failure()).isEqualTo(EngineFailure.UNAVAILABLE);
        }
        assertThatThrownBy(() -> Rows.await(alone.check().result()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.UNAVAILABLE));
    }

    @Test
    void aWorkerThatIsBackIsUsedAtOnce() throws IOException {
        int port = loopback.worker.port();
        assertThat(Rows.of(engine, query("select 1", 0, null))).hasSize(1);
        loopback.awaitNothing();
        loopback.worker.close();
        assertThat(failure(query("select 1", 0, null)).failure()).isEqualTo(EngineFailure.UNAVAILABLE);
        WorkerSettings there = new WorkerSettings(
                "w", "127.0.0.1", port, null, Loopback.SECRET, 2, 1, 1, Loopback.LONG, "none", () -> 0);
        try (WorkerServer again = new WorkerServer(loopback.duck, there)) {
            again.start();
            assertThat(Rows.of(engine, query("select 1", 0, null))).hasSize(1);
        }
    }

    @Test
    void aWorkerThatDoesNotAnswer() throws IOException {
        try (CuttingProxy proxy = new CuttingProxy(loopback.worker.port())) {
            proxy.swallow(true);
            RemoteEngine through =
                    loopback.connect(proxy.port(), Duration.ofMillis(500), Loopback.LONG, Duration.ofMillis(500));
            assertThatThrownBy(() -> Rows.await(through.report().result()))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.UNAVAILABLE));
            assertThatThrownBy(() -> Rows.of(through, query("select 1", 0, null)))
                    .isInstanceOf(EngineException.class);
        }
    }

    @Test
    void drainingLetsQueriesFinish() throws Exception {
        ArrowResult result = Rows.await(engine.execute(query("select i from range(3000000) t(i)", 0, null))
                .result());
        Thread draining = new Thread(() -> loopback.worker.drain(Duration.ofSeconds(60)));
        draining.start();
        Awaitility.await().until(() -> Rows.await(engine.report().result()).draining());
        EngineException refused = failure(query("select 1", 0, null));
        assertThat(refused.failure()).isEqualTo(EngineFailure.UNAVAILABLE);
        assertThat(refused).hasMessageContaining("draining");
        assertThat(Rows.count(result)).isEqualTo(3_000_000);
        draining.join(60_000);
        assertThat(draining.isAlive()).isFalse();
    }

    @Test
    void drainingEndsWithTheGrace() {
        EngineCall<ArrowResult> call = engine.execute(query(ENDLESS, 0, null));
        Awaitility.await().until(() -> loopback.worker.running() == 1);
        loopback.worker.drain(Duration.ofMillis(100));
        assertThat(loopback.worker.running()).isZero();
        assertThat(catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()))
                        .failure())
                .isEqualTo(EngineFailure.LOST);
    }
}
