package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.Rows;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Cancels early, late and twice, beside queries that go on: none of those is hit, nor the next one on the thread. */
class DuckDbNeighboursTest extends DuckDbTestBase {

    private static final int NEIGHBOURS = 2;
    private static final String KNOWN = "select sum(i)::bigint from range(200000) t(i) where i % 2 = 0";
    private static final long KNOWN_SUM = 9_999_900_000L;

    @Test
    void aCancelHitsNeitherANeighbourNorTheNextQuery() throws Exception {
        rounds(500);
    }

    @Test
    @Tag("full")
    void noneOfTenThousandCancelsHitsANeighbour() throws Exception {
        rounds(10_000);
    }

    private void rounds(int rounds) throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        Random random = new Random(seed);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService threads = Executors.newFixedThreadPool(NEIGHBOURS + 1);
        List<Future<Integer>> neighbours = new ArrayList<>();
        try {
            for (int i = 0; i < NEIGHBOURS; i++) {
                neighbours.add(threads.submit(() -> neighbour(over)));
            }
            for (int round = 0; round < rounds; round++) {
                Future<?> cancelled = cancelOne(random, threads);
                assertThat(run(Access.READ, "select " + round))
                        .as("seed %d, round %d", seed, round)
                        .containsExactly(List.of(round));
                cancelled.get(Rows.WAIT_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            over.set(true);
            threads.shutdown();
        }
        for (Future<Integer> neighbour : neighbours) {
            assertThat(neighbour.get(Rows.WAIT_SECONDS, TimeUnit.SECONDS)).isPositive();
        }
    }

    private int neighbour(AtomicBoolean over) {
        int done = 0;
        do {
            assertThat(run(Access.READ, KNOWN)).containsExactly(List.of(KNOWN_SUM));
            done++;
        } while (!over.get());
        return done;
    }

    /** Cancels a query while it runs or when it is over; in the latter case while the caller's next query starts. */
    private Future<?> cancelOne(Random random, ExecutorService threads) {
        int manner = random.nextInt(4);
        if (manner == 3) {
            EngineCall<ArrowResult> call = engine.execute(query(Access.READ, "select 1"));
            ArrowResult result = Rows.await(call.result());
            assertThat(Rows.count(result)).isEqualTo(1);
            return threads.submit(() -> {
                call.cancel();
                result.cancel();
            });
        }
        EngineCall<ArrowResult> call =
                engine.execute(query(Access.READ, "select count(*) from range(1000000) a(i), range(1000) b(j)"));
        if (manner > 0) {
            LockSupport.parkNanos(random.nextInt(3_000_000));
        }
        call.cancel();
        if (manner == 2) {
            call.cancel();
        }
        call.result().whenComplete((result, thrown) -> {
            if (result != null) {
                result.close();
            }
        });
        Rows.await(call.stopped());
        return CompletableFuture.completedFuture(null);
    }

    @Test
    void aCancelWhileConstantsAreComputedLeavesTheEngineUsable() {
        EngineCall<ArrowResult> call = engine.execute(query(Access.READ, "select len(range(8000000))"));
        Awaitility.await().until(() -> engine.stats().activeCalls() == 1);

        call.cancel();

        assertThat(run(Access.READ, "select 1")).containsExactly(List.of(1));
        assertThatThrownBy(() -> Rows.await(call.result()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.failure()).isEqualTo(EngineFailure.CANCELLED));
        Rows.await(call.stopped());
    }
}
