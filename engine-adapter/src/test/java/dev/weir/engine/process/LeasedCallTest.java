package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One call in a child that is borrowed for it. */
class LeasedCallTest {

    private final ScheduledExecutorService timers = Timers.create();
    private final LeasedCall.Terms terms = new LeasedCall.Terms(new ChildFailures("weir.a.limit"), timers, 20);
    private final Deque<TestLease> ready = new ArrayDeque<>();

    @AfterEach
    void stopTimers() {
        timers.shutdownNow();
    }

    private TestLease lease() {
        TestLease lease = new TestLease();
        ready.add(lease);
        return lease;
    }

    private EngineCall<ArrowResult> execute() {
        return LeasedCall.startRead(
                terms,
                () -> CompletableFuture.completedFuture(ready.remove()),
                engine -> engine.execute(EngineQuery.read("q", "select 1")));
    }

    private static EngineException failure(EngineCall<?> call) {
        return catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()));
    }

    @Test
    void aFailureComesAsItIsAndGivesTheChildBack() {
        TestLease lease = lease();
        EngineCall<ArrowResult> call = execute();
        lease.child.engine.last().fail(new EngineException(EngineFailure.SYNTAX, "Wrong"));
        assertThat(failure(call)).hasMessage("Wrong");
        Rows.await(call.stopped());
        assertThat(lease.ends).containsExactly("SYNTAX");
    }

    @Test
    void memoryNamesItsLimit() {
        TestLease lease = lease();
        EngineCall<ArrowResult> call = execute();
        lease.child.engine.last().fail(new EngineException(EngineFailure.MEMORY, "Some", "53200", -1, null));
        assertThat(failure(call))
                .hasMessageContaining("weir.a.limit")
                .hasMessageContaining(Long.toString(TestLease.BYTES));
    }

    @Test
    void aLimitOfTempFilesKeepsItsWords() {
        TestLease lease = lease();
        EngineCall<ArrowResult> call = execute();
        lease.child.engine.last().fail(new EngineException(EngineFailure.MEMORY, "Disk", "53100", -1, null));
        assertThat(failure(call)).hasMessage("Disk");
    }

    @Test
    void aProcessThatEndedForItsMemoryIsMemoryAndOneThatWasKilledIsLost() {
        TestLease short1 = lease();
        EngineCall<ArrowResult> call = execute();
        short1.child.engine.last().fail(new EngineException(EngineFailure.LOST, "Broken"));
        short1.child.crash(134, true);
        assertThat(failure(call).failure()).isEqualTo(EngineFailure.MEMORY);

        TestLease killed = lease();
        EngineCall<ArrowResult> other = execute();
        killed.child.engine.last().fail(new EngineException(EngineFailure.LOST, "Broken"));
        killed.child.crash(137, false);
        assertThat(failure(other).failure()).isEqualTo(EngineFailure.LOST);
        assertThat(failure(other)).hasMessageContaining("was killed");
    }

    @Test
    void aChildThatWasGoneAlreadyIsReplacedByAnother() {
        TestLease gone = lease();
        TestLease there = lease();
        EngineCall<ArrowResult> call = execute();
        gone.child.engine.last().fail(new EngineException(EngineFailure.UNAVAILABLE, "Refused"));
        assertThat(gone.ends).containsExactly("UNAVAILABLE");
        there.child.engine.last().fail(new EngineException(EngineFailure.SYNTAX, "Wrong"));
        assertThat(failure(call)).hasMessage("Wrong");
    }

    @Test
    void aCallThatMayHaveRunIsNotMadeAgain() {
        TestLease gone = lease();
        EngineCall<Void> call = LeasedCall.start(
                terms, () -> CompletableFuture.completedFuture(ready.remove()), engine -> engine.check());
        gone.child.engine.last().fail(new EngineException(EngineFailure.UNAVAILABLE, "Refused"));
        gone.child.crash(139, false);
        assertThat(failure(call).failure()).isEqualTo(EngineFailure.LOST);
    }

    @Test
    void cancellingReachesTheChildAndOneThatDoesNotStopIsStuck() {
        TestLease lease = lease();
        EngineCall<ArrowResult> call = execute();
        call.cancel();
        assertThat(lease.child.engine.last().cancelled).isTrue();
        assertThat(failure(call).failure()).isEqualTo(EngineFailure.CANCELLED);
        Awaitility.await().until(() -> lease.ends.contains("stuck"));
        assertThat(call.stopped().toCompletableFuture()).isNotDone();
        lease.child.engine.last().fail(ChildFailures.cancelled());
        Rows.await(call.stopped());
        assertThat(lease.ends).containsExactly("stuck", "CANCELLED");
    }

    @Test
    void cancellingBeforeThereIsAChildGivesUpTheWish() {
        CompletableFuture<Lease> wish = new CompletableFuture<>();
        EngineCall<Void> call = LeasedCall.start(terms, () -> wish, engine -> engine.check());
        call.cancel();
        assertThat(wish).isCompletedExceptionally();
        assertThat(failure(call).failure()).isEqualTo(EngineFailure.CANCELLED);
        Rows.await(call.stopped());
    }

    @Test
    void aValueGivesTheChildBack() {
        TestLease lease = lease();
        EngineCall<Void> call =
                LeasedCall.start(terms, () -> CompletableFuture.completedFuture(lease), engine -> engine.check());
        lease.child.engine.last().result.complete(null);
        assertThat(lease.ends).isEmpty();
        lease.child.engine.last().stopped.complete(null);
        Rows.await(call.result());
        assertThat(lease.ends).containsExactly("well");
    }
}
