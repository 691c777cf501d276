package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.worker.WorkerSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Streams whose connection is cut. */
class RemoteResumeTest {

    private static final Logger log = LoggerFactory.getLogger(RemoteResumeTest.class);
    private static final String ENDLESS = "select count(*) from range(10000000) a, range(10000000) b";
    private static final Duration RESUME = Duration.ofSeconds(10);

    @TempDir
    Path directory;

    private Loopback loopback;
    private CuttingProxy proxy;
    private RemoteEngine engine;

    @BeforeEach
    void open() throws IOException {
        loopback = Loopback.open(directory);
        proxy = new CuttingProxy(loopback.worker.port());
        engine = loopback.connect(proxy.port(), Duration.ofSeconds(10), Loopback.LONG, RESUME);
    }

    @AfterEach
    void close() throws IOException {
        loopback.close();
        proxy.close();
    }

    private static EngineQuery numbers(long rows) {
        return Loopback.query(
                "select i, 'row ' || (i * 7) as s from range(" + rows + ") t(i)", 20_000, QueryContext.NONE);
    }

    /** Reads the numbers to the end; each row is the one that belongs there. */
    private long verify(ArrowResult result, long rows) {
        long expected = 0;
        try (result) {
            while (Rows.await(result.next())) {
                BigIntVector numbers = (BigIntVector) result.root().getVector(0);
                VarCharVector texts = (VarCharVector) result.root().getVector(1);
                for (int row = 0; row < result.root().getRowCount(); row++) {
                    if (numbers.get(row) != expected
                            || (expected % 997 == 0
                                    && !texts.getObject(row).toString().equals("row " + expected * 7))) {
                        throw new AssertionError("Row " + expected + " is " + numbers.get(row));
                    }
                    expected++;
                }
            }
        }
        assertThat(expected).isEqualTo(rows);
        return expected;
    }

    private void run(long rows) {
        verify(Rows.await(engine.execute(numbers(rows)).result()), rows);
    }

    /** How many bytes the worker sends for so many rows. */
    private long bytesOf(long rows) {
        run(rows);
        loopback.awaitNothing();
        long before = proxy.forwarded();
        run(rows);
        loopback.awaitNothing();
        return proxy.forwarded() - before;
    }

    @Test
    void aStreamThatIsCutGoesOnWhereItBroke() {
        long bytes = bytesOf(300_000);
        proxy.cutAfter(bytes / 2);
        run(300_000);
        assertThat(proxy.cuts()).isEqualTo(1);
    }

    @Test
    void streamsCutAnywhereAreWhole() {
        long seed = System.nanoTime();
        log.info("Seed {}", seed);
        Random random = new Random(seed);
        long bytes = bytesOf(200_000);
        for (int i = 0; i < 10; i++) {
            proxy.cutAfter((long) (random.nextDouble() * bytes));
            run(200_000);
        }
        assertThat(proxy.cuts()).as("cuts, seed " + seed).isGreaterThanOrEqualTo(9);
    }

    @Test
    void aStreamCutAgainAndAgainIsWhole() {
        int armed = 0;
        long expected = 0;
        try (ArrowResult result = Rows.await(engine.execute(numbers(2_000_000)).result())) {
            while (Rows.await(result.next())) {
                BigIntVector numbers = (BigIntVector) result.root().getVector(0);
                for (int row = 0; row < result.root().getRowCount(); row++) {
                    if (numbers.get(row) != expected++) {
                        throw new AssertionError("Row " + (expected - 1) + " is " + numbers.get(row));
                    }
                }
                if (armed < 8 && proxy.cuts() == armed) {
                    proxy.cutAfter(400_000);
                    armed++;
                }
            }
        }
        assertThat(expected).isEqualTo(2_000_000);
        assertThat(proxy.cuts()).isGreaterThanOrEqualTo(5);
    }

    @Test
    void aReaderThatPausesDoesNotLoseItsStream() {
        ArrowResult result = Rows.await(engine.execute(numbers(400_000)).result());
        Awaitility.await().until(() -> proxy.forwarded() > 100_000);
        proxy.cutAfter(0);
        engine.report();
        Awaitility.await().until(() -> proxy.cuts() == 1);
        verify(result, 400_000);
    }

    @Test
    void encodedBatchesAreResumedToo() {
        long bytes = bytesOf(300_000);
        proxy.cutAfter(bytes / 3);
        long rows = 0;
        try (ArrowResult result = Rows.await(engine.execute(numbers(300_000)).result())) {
            EncodedBatch batch;
            while ((batch = Rows.await(result.nextEncoded())) != null) {
                rows += batch.rows();
                batch.close();
            }
        }
        assertThat(rows).isEqualTo(300_000);
        assertThat(proxy.cuts()).isEqualTo(1);
    }

    @Test
    void withoutResumingACutStreamFailsAndIsNeverShort() {
        RemoteEngine once = loopback.connect(proxy.port(), Duration.ofSeconds(10), Loopback.LONG, Duration.ZERO);
        long bytes = bytesOf(300_000);
        proxy.cutAfter(bytes / 2);
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> verify(Rows.await(once.execute(numbers(300_000)).result()), 300_000));
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
        assertThat(failure.sqlState()).isEqualTo("08006");
    }

    @Test
    void aStreamWhoseWorkerStopsIsLost() {
        ArrowResult result = Rows.await(engine.execute(numbers(50_000_000)).result());
        assertThat(Rows.await(result.next())).isTrue();
        loopback.worker.close();
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.count(result));
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
    }

    /** The time to resume is beyond all patience of this test: what ends here does not wait for it. */
    @Test
    void aReadThatGaveNothingIsLostAtOnceWhenNobodyListensAnyMore() throws IOException {
        RemoteEngine patient = impatientWorker(Duration.ofMinutes(10), Duration.ofMinutes(10));
        var call = patient.execute(Loopback.query(ENDLESS, 1000, QueryContext.NONE));
        Awaitility.await().until(() -> loopback.worker.running() == 1);
        proxy.close();
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()));
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
    }

    @Test
    void aCancelIsNotTakenWhereNobodyListensAnyMore() throws IOException {
        RemoteEngine patient = impatientWorker(Duration.ofMinutes(10), Duration.ofMinutes(10));
        ArrowResult result = Rows.await(patient.execute(numbers(50_000_000)).result());
        assertThat(Rows.await(result.next())).isTrue();
        proxy.close();
        result.close();
        Rows.await(result.stopped());
    }

    @Test
    void aWriteIsWaitedForWhereNobodyListens() throws IOException {
        RemoteEngine patient = impatientWorker(Duration.ofMinutes(10), Duration.ofMinutes(1));
        int port = proxy.port();
        var call = patient.execute(new EngineQuery(
                "q",
                "create table t as select count(*) as n from range(60000) a, range(60000) b",
                Access.WRITE,
                SessionSettings.NONE,
                List.of(),
                1000,
                QueryContext.NONE));
        Awaitility.await().until(() -> loopback.worker.running() == 1);
        proxy.close();
        assertThat(call.result().toCompletableFuture()).isNotDone();
        // The kernel may have given the port to an attempt to connect meanwhile, for that moment.
        try (CuttingProxy again = Awaitility.await()
                .ignoreExceptionsInstanceOf(BindException.class)
                .until(() -> new CuttingProxy(port, loopback.worker.port()), proxy -> true)) {
            Rows.await(call.result()).close();
            assertThat(again.forwarded()).isPositive();
        }
    }

    @Test
    void aStreamThatGaveSomethingWaitsForTheTimeToResumeAndNoLonger() {
        RemoteEngine hasty = impatientWorker(Duration.ofMinutes(10), Duration.ofMillis(500));
        ArrowResult result = Rows.await(hasty.execute(numbers(50_000_000)).result());
        assertThat(Rows.await(result.next())).isTrue();
        proxy.deaden();
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.count(result));
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
    }

    /** One that ends soon what nobody asks for. */
    private RemoteEngine impatientWorker(Duration connectTimeout, Duration resume) {
        loopback.close();
        loopback = new Loopback(
                directory, Loopback.settings(64, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(3)));
        try {
            proxy.close();
            proxy = new CuttingProxy(loopback.worker.port());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return loopback.connect(proxy.port(), connectTimeout, Duration.ofMillis(500), resume);
    }

    @Test
    void aCancelOverABrokenConnectionReachesTheEngine() {
        ArrowResult result = Rows.await(engine.execute(numbers(50_000_000)).result());
        assertThat(Rows.await(result.next())).isTrue();
        proxy.cutAfter(0);
        result.close();
        Rows.await(result.stopped());
        loopback.awaitNothing();
    }

    /** 200 streams of a million rows, each cut at a byte of its own. */
    @Test
    @Tag("full")
    void drill() {
        long seed = Long.getLong("weir.drill.seed", System.nanoTime());
        Random random = new Random(seed);
        int streams = 200;
        long rows = 1_000_000;
        long bytes = bytesOf(rows);
        int whole = 0;
        for (int i = 0; i < streams; i++) {
            proxy.cutAfter((long) (random.nextDouble() * bytes));
            try {
                run(rows);
                whole++;
            } catch (EngineException e) {
                log.warn("Stream {}: {}", i, e.getMessage());
            }
        }
        log.warn("{} of {} streams whole after {} cuts, seed {}", whole, streams, proxy.cuts(), seed);
        assertThat(whole).as("whole streams, seed " + seed).isGreaterThanOrEqualTo(streams * 95 / 100);
        assertThat(proxy.cuts()).isGreaterThanOrEqualTo(streams - 5);
    }
}
