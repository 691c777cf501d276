package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.Rows;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cancels at random moments: the cancelled query ends, its neighbours do not notice, nothing is left. */
class DuckDbCancelTest extends DuckDbTestBase {

    private static final List<String> QUERIES = List.of(
            "select i, i * 2 from range(3000000) t(i)",
            "select count(*) from range(30000) a(i), range(3000) b(j) where i <> j",
            "select i from range(2000000) t(i) order by hash(i)",
            "select 1",
            "select i::uhugeint, interval '1 day' from range(500000) t(i)",
            "select i % 1000, count(*), string_agg(i::varchar, ',') from range(300000) t(i) group by 1",
            "select sum(i) over (order by i) from range(300000) t(i)");

    @Test
    void randomCancelsLeaveNothing() throws Exception {
        rounds(1_000);
    }

    @Test
    @Tag("full")
    void manyRandomCancelsLeaveNothing() throws Exception {
        rounds(10_000);
    }

    private void rounds(int rounds) throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        Random random = new Random(seed);
        ExecutorService cancellers = Executors.newFixedThreadPool(3);
        try {
            for (int round = 0; round < rounds; round++) {
                EngineCall<ArrowResult> call =
                        engine.execute(query(Access.READ, QUERIES.get(random.nextInt(QUERIES.size()))));
                int micros = random.nextInt(8_000);
                boolean onResult = random.nextBoolean();
                CompletableFuture<ArrowResult> result = call.result().toCompletableFuture();
                CompletableFuture<Void> cancelled = CompletableFuture.runAsync(
                        () -> {
                            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
                            if (onResult && result.isDone() && !result.isCompletedExceptionally()) {
                                result.join().cancel();
                            } else {
                                call.cancel();
                            }
                        },
                        cancellers);
                readSome(call, random.nextInt(4), seed);
                Rows.await(cancelled);
                Rows.await(call.stopped());
                if (round % 25 == 0) {
                    assertThat(run(Access.READ, "select count(*) from range(1000)"))
                            .containsExactly(List.of(1000L));
                }
            }
        } finally {
            cancellers.shutdown();
        }
    }

    /** Reads up to a number of batches; nothing but CANCELLED may come between. */
    private static void readSome(EngineCall<ArrowResult> call, int batches, long seed) {
        try {
            ArrowResult result = Rows.await(call.result());
            try {
                for (int i = 0; i < batches && Rows.await(result.next()); i++) {
                    assertThat(result.root().getRowCount()).isPositive();
                }
            } finally {
                result.close();
                Rows.await(result.stopped());
            }
        } catch (EngineException e) {
            assertThat(e.failure()).as("seed %d: %s", seed, e.getMessage()).isEqualTo(EngineFailure.CANCELLED);
        }
    }

    @Test
    void aCancelledWriteIsUndone() {
        run(Access.WRITE, "create table t (i bigint)");
        for (int i = 0; i < 10; i++) {
            EngineCall<ArrowResult> call =
                    engine.execute(query(Access.WRITE, "insert into t select i from range(100000000) t(i)"));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(3L * i));
            call.cancel();
            Rows.await(call.stopped());
            assertThat(run(Access.READ, "select count(*) from t")).containsExactly(List.of(0L));
        }
    }
}
