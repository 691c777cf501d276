package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.FakeResult;
import dev.weir.engine.Rows;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A read that ran out of memory in a child that others had used. */
class ReadCallTest {

    private final ScheduledExecutorService timers = Timers.create();
    private final LeasedCall.Terms terms = new LeasedCall.Terms(new ChildFailures("weir.a.limit"), timers, 60_000);
    private final BufferAllocator allocator = new RootAllocator();
    private final TestLease used = new TestLease();
    private final TestLease fresh = new TestLease();
    private CompletableFuture<Lease> second = CompletableFuture.completedFuture(fresh);

    ReadCallTest() {
        used.used = true;
    }

    @AfterEach
    void nothingIsLeft() {
        timers.shutdownNow();
        allocator.close();
    }

    private EngineCall<ArrowResult> execute() {
        return ReadCall.start(() -> read(CompletableFuture.completedFuture(used)), () -> read(second));
    }

    private LeasedCall<ArrowResult> read(CompletableFuture<Lease> lease) {
        return LeasedCall.startRead(terms, () -> lease, engine -> engine.execute(EngineQuery.read("q", "select 1")));
    }

    private FakeResult open(TestLease lease, Schema schema) {
        FakeResult rows = new FakeResult(schema, allocator);
        FakeEngine.Call<ArrowResult> call = lease.child.engine.last();
        call.result.complete(rows);
        call.stopped.complete(null);
        return rows;
    }

    private FakeResult open(TestLease lease) {
        return open(lease, FakeResult.SCHEMA);
    }

    private static void fail(TestLease lease, EngineFailure failure, String state) {
        lease.child.engine.last().fail(new EngineException(failure, "It failed", state, -1, null));
    }

    private static EngineException failure(CompletionStage<?> stage) {
        return catchThrowableOfType(EngineException.class, () -> Rows.await(stage));
    }

    @Test
    void runsInAFreshChildWhenItDidNotOpen() {
        EngineCall<ArrowResult> call = execute();
        fail(used, EngineFailure.MEMORY, "53200");
        assertThat(used.ends).containsExactly("MEMORY");
        FakeResult rows = open(fresh);
        try (ArrowResult result = Rows.await(call.result())) {
            CompletionStage<Boolean> pull = result.next();
            rows.give(7);
            assertThat(Rows.await(pull)).isTrue();
            assertThat(((IntVector) result.root().getVector(0)).get(0)).isEqualTo(7);
            Rows.await(call.stopped());
        }
        assertThat(fresh.ends).containsExactly("well");
    }

    @Test
    void runsInAFreshChildWhenItsFirstBatchDidNotCome() {
        EngineCall<ArrowResult> call = execute();
        FakeResult cramped = open(used);
        try (ArrowResult result = Rows.await(call.result())) {
            CompletionStage<Boolean> pull = result.next();
            cramped.lose(EngineFailure.MEMORY);
            assertThat(cramped.isClosed()).isTrue();
            assertThat(result.stopped().toCompletableFuture()).isNotDone();
            FakeResult rows = open(fresh);
            rows.give(8);
            assertThat(Rows.await(pull)).isTrue();
            assertThat(((IntVector) result.root().getVector(0)).get(0)).isEqualTo(8);
            CompletionStage<Boolean> end = result.next();
            rows.end();
            assertThat(Rows.await(end)).isFalse();
            Rows.await(result.stopped());
        }
        assertThat(used.ends).containsExactly("MEMORY");
        assertThat(fresh.ends).containsExactly("well");
    }

    @Test
    void failsInAFreshChildForGood() {
        EngineCall<ArrowResult> call = execute();
        fail(used, EngineFailure.MEMORY, "53200");
        fail(fresh, EngineFailure.MEMORY, "53200");
        assertThat(failure(call.result())).hasMessageContaining("weir.a.limit");
        Rows.await(call.stopped());
        assertThat(fresh.child.engine.calls).hasSize(1);
    }

    @Test
    void aChildThatNobodyUsedAndOtherFailuresGetNoSecondAttempt() {
        used.used = false;
        EngineCall<ArrowResult> fair = execute();
        fail(used, EngineFailure.MEMORY, "53200");
        assertThat(failure(fair.result()).failure()).isEqualTo(EngineFailure.MEMORY);
        used.used = true;
        EngineCall<ArrowResult> temporary = execute();
        fail(used, EngineFailure.MEMORY, "53100");
        assertThat(failure(temporary.result()).sqlState()).isEqualTo("53100");
        EngineCall<ArrowResult> wrong = execute();
        fail(used, EngineFailure.EXECUTION, "22012");
        assertThat(failure(wrong.result()).failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(fresh.child.engine.calls).isEmpty();
    }

    @Test
    void nothingIsRepeatedAfterABatch() {
        EngineCall<ArrowResult> call = execute();
        FakeResult rows = open(used);
        try (ArrowResult result = Rows.await(call.result())) {
            CompletionStage<Boolean> first = result.next();
            rows.give(1);
            assertThat(Rows.await(first)).isTrue();
            CompletionStage<Boolean> next = result.next();
            rows.lose(EngineFailure.MEMORY);
            assertThat(failure(next).failure()).isEqualTo(EngineFailure.MEMORY);
            Rows.await(result.stopped());
        }
        assertThat(fresh.child.engine.calls).isEmpty();
    }

    @Test
    void theFirstFailureStandsWhenThereIsNoFreshChild() {
        second = CompletableFuture.failedFuture(ChildFailures.busy());
        EngineCall<ArrowResult> call = execute();
        fail(used, EngineFailure.MEMORY, "53200");
        assertThat(failure(call.result()).failure()).isEqualTo(EngineFailure.MEMORY);

        EngineCall<ArrowResult> opened = execute();
        FakeResult cramped = open(used);
        try (ArrowResult result = Rows.await(opened.result())) {
            CompletionStage<Boolean> pull = result.next();
            cramped.lose(EngineFailure.MEMORY);
            assertThat(failure(pull).failure()).isEqualTo(EngineFailure.MEMORY);
            Rows.await(result.stopped());
        }
    }

    @Test
    void anotherSchemaIsNotTakenForTheSameResult() {
        EngineCall<ArrowResult> call = execute();
        FakeResult cramped = open(used);
        try (ArrowResult result = Rows.await(call.result())) {
            CompletionStage<Boolean> pull = result.next();
            cramped.lose(EngineFailure.MEMORY);
            open(fresh, FakeResult.schema("other"));
            assertThat(failure(pull).failure()).isEqualTo(EngineFailure.LOST);
        }
        assertThat(fresh.ends).hasSize(1);
    }

    @Test
    void cancellingReachesTheSecondAttempt() {
        EngineCall<ArrowResult> call = execute();
        fail(used, EngineFailure.MEMORY, "53200");
        call.cancel();
        FakeEngine.Call<ArrowResult> running = fresh.child.engine.last();
        assertThat(running.cancelled).isTrue();
        assertThat(failure(call.result()).failure()).isEqualTo(EngineFailure.CANCELLED);
        assertThat(call.stopped().toCompletableFuture()).isNotDone();
        running.fail(ChildFailures.cancelled());
        Rows.await(call.stopped());
    }

    @Test
    void closingReachesTheSecondAttemptOfAnOpenResult() {
        EngineCall<ArrowResult> call = execute();
        FakeResult cramped = open(used);
        ArrowResult result = Rows.await(call.result());
        CompletionStage<Boolean> pull = result.next();
        cramped.lose(EngineFailure.MEMORY);
        result.close();
        FakeEngine.Call<ArrowResult> running = fresh.child.engine.last();
        assertThat(running.cancelled).isTrue();
        assertThat(failure(pull).failure()).isIn(EngineFailure.CANCELLED, EngineFailure.MEMORY);
        assertThat(result.stopped().toCompletableFuture()).isNotDone();
        open(fresh);
        Rows.await(result.stopped());
        assertThat(fresh.ends).containsExactly("well");
    }

    @Test
    void closingWhileTheFirstAttemptStopsBeginsNoOther() {
        EngineCall<ArrowResult> call = execute();
        FakeResult rows = open(used);
        ArrowResult result = Rows.await(call.result());
        CompletionStage<Boolean> pull = result.next();
        result.close();
        assertThat(failure(pull).failure()).isEqualTo(EngineFailure.CANCELLED);
        Rows.await(result.stopped());
        assertThat(rows.isClosed()).isTrue();
        assertThat(fresh.child.engine.calls).isEmpty();
    }
}
