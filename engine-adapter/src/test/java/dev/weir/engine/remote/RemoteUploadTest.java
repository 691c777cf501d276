package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StreamFeed;
import dev.weir.engine.wire.Wire;
import dev.weir.engine.worker.WorkerSettings;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What goes wrong between an upload and the worker that loads it. */
class RemoteUploadTest {

    private static final String SOURCE = "select i, repeat('x', 100) as s from range(100000) r(i)";

    @TempDir
    Path directory;

    private Loopback loopback;
    private RemoteEngine engine;

    @BeforeEach
    void open() {
        loopback = new Loopback(
                directory, Loopback.settings(1, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(2)));
        engine = loopback.connect();
        write("create table t (i bigint, s varchar)");
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private void write(String sql) {
        Rows.of(engine, new EngineQuery("q", sql, Access.ADMIN, SessionSettings.NONE, List.of(), 1000));
    }

    private long count() {
        EngineQuery query =
                new EngineQuery("q", "select count(*) from t", Access.READ, SessionSettings.NONE, List.of(), 1000);
        return (Long) Rows.of(loopback.duck, query).get(0).get(0);
    }

    private static EngineIngest append(StreamFeed feed, Duration timeLeft) {
        return new EngineIngest(
                "ingest",
                IngestTarget.of("t"),
                IngestMode.APPEND,
                feed.schema(),
                Access.WRITE,
                SessionSettings.NONE,
                new QueryContext("ann", 0, false, timeLeft));
    }

    private static EngineException failure(EngineCall<ArrowResult> call) {
        EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()));
        Rows.await(call.stopped());
        return failure;
    }

    @Test
    void aConnectionThatBreaksAnywhereLeavesAllOrNothing() throws Exception {
        long seed = Long.getLong("weir.seed", ThreadLocalRandom.current().nextLong());
        Random random = new Random(seed);
        byte[] stream = StreamFeed.streamOf(loopback.duck, SOURCE, 2000);
        long expected = 0;
        try (CuttingProxy proxy = new CuttingProxy(loopback.worker.port())) {
            RemoteEngine through = loopback.connect(proxy.port(), Loopback.LONG, Loopback.LONG, Loopback.LONG);
            long before = proxy.forwarded();
            try (StreamFeed feed = StreamFeed.of(stream)) {
                Rows.drain(Rows.await(through.ingest(append(feed, null), feed).result()));
            }
            expected += 100_000;
            int whole = (int) (proxy.forwarded() - before);
            for (int round = 0; round < 20; round++) {
                proxy.cutAfter(1 + random.nextInt(whole));
                try (StreamFeed feed = StreamFeed.of(stream)) {
                    EngineCall<ArrowResult> call = through.ingest(append(feed, null), feed);
                    EngineException failure = failure(call);
                    if (failure == null) {
                        Rows.drain(call.result().toCompletableFuture().join());
                        expected += 100_000;
                        assertThat(feed.rows()).isEqualTo(100_000);
                    } else {
                        assertThat(failure.failure()).isEqualTo(EngineFailure.UNAVAILABLE);
                        assertThat(failure).hasMessageContaining("nothing of it was kept");
                    }
                }
                loopback.awaitNothing();
                assertThat(count()).as("seed %d, round %d", seed, round).isEqualTo(expected);
            }
            assertThat(proxy.cuts()).as("seed %d", seed).isPositive();
        }
    }

    @Test
    void theAnswerToAWholeUploadIsAskedForAgain() throws Exception {
        byte[] stream = StreamFeed.streamOf(loopback.duck, SOURCE, 2000);
        try (CuttingProxy proxy = new CuttingProxy(loopback.worker.port())) {
            RemoteEngine through = loopback.connect(proxy.port(), Loopback.LONG, Loopback.LONG, Loopback.LONG);
            try (StreamFeed feed = StreamFeed.of(stream).keepOpen()) {
                EngineCall<ArrowResult> call = through.ingest(append(feed, null), feed);
                Awaitility.await().atMost(Loopback.LONG).until(() -> feed.rows() == 100_000);
                // The next word of the worker tells how it ended.
                proxy.cutAfter(1);
                feed.end();
                ArrowResult result = Rows.await(call.result());
                assertThat(result.updateCount()).hasValue(100_000);
                Rows.drain(result);
            }
            assertThat(proxy.cuts()).isEqualTo(1);
            assertThat(through.resumes()).isEqualTo(1);
            assertThat(count()).isEqualTo(100_000);
        }
    }

    @Test
    void aGatewayThatFallsSilentLeavesNothing() throws Exception {
        byte[] stream = StreamFeed.streamOf(loopback.duck, SOURCE, 2000);
        try (CuttingProxy proxy = new CuttingProxy(loopback.worker.port())) {
            RemoteEngine through = loopback.connect(
                    proxy.port(), Duration.ofSeconds(2), Duration.ofMillis(200), Duration.ofSeconds(2));
            try (StreamFeed feed = StreamFeed.of(stream).keepOpen()) {
                EngineCall<ArrowResult> call = through.ingest(append(feed, null), feed);
                Awaitility.await().atMost(Loopback.LONG).until(() -> feed.rows() > 0);
                proxy.swallow(true);
                assertThat(failure(call).failure()).isEqualTo(EngineFailure.UNAVAILABLE);
            }
            loopback.awaitNothing();
            assertThat(count()).isZero();
        }
    }

    @Test
    void itsTimeIsTheStatements() {
        try (StreamFeed feed =
                StreamFeed.of(StreamFeed.streamOf(loopback.duck, SOURCE, 2000)).keepOpen()) {
            EngineException failure = failure(engine.ingest(append(feed, Duration.ofMillis(300)), feed));
            assertThat(failure.failure()).isEqualTo(EngineFailure.TIMED_OUT);
        }
        loopback.awaitNothing();
        assertThat(count()).isZero();
    }

    @Test
    void userAndTraceGoAlong() {
        List<QueryContext> seen = new CopyOnWriteArrayList<>();
        loopback.worker.watch((query, call) -> seen.add(query.context()));
        String trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        QueryContext context = new QueryContext("ann", 0, false, null, trace);
        Rows.of(engine, Loopback.query("select 1", 1000, context));
        try (StreamFeed feed = StreamFeed.of(StreamFeed.streamOf(loopback.duck, SOURCE, 2000))) {
            EngineIngest ingest = new EngineIngest(
                    "ingest",
                    IngestTarget.of("t"),
                    IngestMode.APPEND,
                    feed.schema(),
                    Access.WRITE,
                    SessionSettings.NONE,
                    context);
            Rows.drain(Rows.await(engine.ingest(ingest, feed).result()));
        }
        assertThat(seen).hasSize(2).allSatisfy(had -> {
            assertThat(had.user()).isEqualTo("ann");
            assertThat(had.traceParent()).isEqualTo(trace);
        });
    }

    @Test
    void aWorkerThatIsFullReadsNothing() {
        EngineQuery large = Loopback.query("select i from range(100000000) t(i)", 20_000, QueryContext.NONE);
        ArrowResult held = Rows.await(engine.execute(large).result());
        try (StreamFeed feed = StreamFeed.of(StreamFeed.streamOf(loopback.duck, SOURCE, 2000))) {
            EngineException failure = failure(engine.ingest(append(feed, null), feed));
            assertThat(failure.failure()).isEqualTo(EngineFailure.BUSY);
            assertThat(feed.taken()).isZero();
        }
        held.close();
    }

    @Test
    void aMessageBeyondTheLimitIsRefused() {
        try (StreamFeed feed = StreamFeed.of(StreamFeed.streamOf(loopback.duck, SOURCE, 100_000))) {
            feed.put(0, ByteBuffer.allocate(8), feed.allocator().buffer(Wire.MAX_PART_BYTES + 1));
            EngineException failure = failure(engine.ingest(append(feed, null), feed));
            assertThat(failure.failure()).isEqualTo(EngineFailure.TOO_LARGE);
            assertThat(failure).hasMessageContaining("smaller batches");
        }
        loopback.awaitNothing();
        assertThat(count()).isZero();
    }
}
