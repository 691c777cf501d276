package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.StatementDescription;
import io.grpc.Context;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cancel reaches the engine in every phase, and so does a gateway's silence. */
class RemoteCancelTest {

    private static final String ENDLESS =
            "select count(*) from range(10000000) a(i), range(10000000) b(j) where i + j = 7";
    private static final Duration SHORT = Duration.ofSeconds(1);
    private static final int WINDOW = 4 << 20;

    @TempDir
    Path directory;

    private Loopback loopback;
    private RemoteEngine engine;

    @BeforeEach
    void open() {
        loopback = new Loopback(directory, Loopback.settings(8, WINDOW, SHORT));
        engine = loopback.connect(
                loopback.worker.port(), Duration.ofSeconds(10), Duration.ofMillis(200), Duration.ofSeconds(5));
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private EngineCall<ArrowResult> start(String sql) {
        return engine.execute(Loopback.query(sql, 20_000, QueryContext.NONE));
    }

    private static EngineFailure failure(EngineCall<?> call) {
        return catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()))
                .failure();
    }

    @Test
    void whileTheStatementRuns() {
        EngineCall<ArrowResult> call = start(ENDLESS);
        Awaitility.await().until(() -> loopback.duck.stats().activeCalls() == 1);
        call.cancel();
        assertThat(failure(call)).isEqualTo(EngineFailure.CANCELLED);
        Rows.await(call.stopped());
        assertThat(loopback.duck.stats().activeCalls()).isZero();
        assertThat(loopback.worker.running()).isZero();
    }

    /** A Flight client's call that ends on this side takes nothing of the worker's call with it. */
    @Test
    void notWithTheCallThatItWasStartedIn() {
        Context.CancellableContext front = Context.current().withCancellation();
        Context before = front.attach();
        EngineCall<ArrowResult> call;
        try {
            call = start("select i from range(1000000) t(i)");
        } finally {
            front.detach(before);
        }
        try (ArrowResult result = Rows.await(call.result())) {
            assertThat(Rows.await(result.next())).isTrue();
            front.cancel(null);
            int rows = result.root().getRowCount();
            while (Rows.await(result.next())) {
                rows += result.root().getRowCount();
            }
            assertThat(rows).isEqualTo(1_000_000);
            Rows.await(result.stopped());
        }
        assertThat(engine.resumes()).isZero();
    }

    @Test
    void whileItIsDescribed() {
        EngineCall<StatementDescription> call =
                engine.describe(Loopback.query("select len(range(8000000))", 1, QueryContext.NONE));
        Awaitility.await().until(() -> loopback.duck.stats().activeCalls() == 1);
        call.cancel();
        assertThat(failure(call)).isEqualTo(EngineFailure.CANCELLED);
        Rows.await(call.stopped());
    }

    @Test
    void whileTheWindowIsFull() {
        ArrowResult result =
                Rows.await(start("select i from range(100000000) t(i)").result());
        Awaitility.await()
                .until(() -> loopback.duck.stats().arrowBytes() > WINDOW / 2
                        && loopback.duck.stats().activeCalls() == 0);
        assertThat(loopback.duck.stats().arrowBytes()).isLessThan(3L * WINDOW);
        result.cancel();
        Rows.await(result.stopped());
        assertThat(loopback.worker.running()).isZero();
    }

    @Test
    void whenTheGatewayIsGone() {
        RemoteEngine leaving = loopback.connect();
        Rows.await(leaving.execute(Loopback.query("select i from range(100000000) t(i)", 20_000, QueryContext.NONE))
                .result());
        assertThat(loopback.worker.running()).isEqualTo(1);
        leaving.close();
        Awaitility.await().until(() -> loopback.worker.running() == 0);
    }

    @Test
    void whenTheGatewayFallsSilent() throws IOException {
        try (CuttingProxy proxy = new CuttingProxy(loopback.worker.port())) {
            RemoteEngine through = loopback.connect(proxy.port(), SHORT, Duration.ofMillis(200), SHORT);
            ArrowResult result = Rows.await(
                    through.execute(Loopback.query("select i from range(100000000) t(i)", 20_000, QueryContext.NONE))
                            .result());
            EngineCall<ArrowResult> running = through.execute(Loopback.query(ENDLESS, 20_000, QueryContext.NONE));
            Awaitility.await().until(() -> loopback.worker.running() == 2);
            proxy.swallow(true);
            Awaitility.await().until(() -> loopback.worker.running() == 0);
            assertThat(failure(running)).isEqualTo(EngineFailure.LOST);
            assertThat(catchThrowableOfType(EngineException.class, () -> Rows.count(result))
                            .failure())
                    .isEqualTo(EngineFailure.LOST);
            loopback.awaitNothing();
        }
    }

    @Test
    void aReaderThatPausesIsNotSilent() {
        ArrowResult result =
                Rows.await(start("select i from range(3000000) t(i)").result());
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .during(SHORT.multipliedBy(2))
                .until(() -> loopback.worker.running() == 1);
        assertThat(Rows.count(result)).isEqualTo(3_000_000);
    }
}
