package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import dev.weir.engine.Rows;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which child is lent to whom, and when one is replaced. */
class ChildPoolTest {

    private static final long BYTES = 100;
    private static final FileVersion FIRST = new FileVersion("a", 1, 1);
    private static final FileVersion SECOND = new FileVersion("b", 2, 1);

    private final FakeFactory factory = new FakeFactory();
    private final ScheduledExecutorService timers = Timers.create();
    private final AtomicReference<FileVersion> version = new AtomicReference<>(FIRST);

    @AfterEach
    void stopTimers() {
        timers.shutdownNow();
    }

    private ChildPool pool(int slots, int shortSlots, int warm, Duration patience) {
        ChildRequest request = new ChildRequest(BYTES, 1, 4, FileVersion.NONE);
        ChildPool pool = new ChildPool(
                new PoolSize(slots, shortSlots, warm, request, 2, patience), factory, version::get, timers);
        pool.open();
        return pool;
    }

    private ChildPool pool(int slots, int warm) {
        return pool(slots, slots, warm, Duration.ofSeconds(60));
    }

    private static Lease now(CompletableFuture<Lease> wish) {
        assertThat(wish).isCompleted();
        return wish.join();
    }

    private static EngineFailure failure(CompletableFuture<Lease> wish) {
        return catchThrowableOfType(EngineException.class, () -> Rows.await(wish))
                .failure();
    }

    private static EngineException failed(EngineFailure kind) {
        return new EngineException(kind, "It failed");
    }

    @Test
    void aFewStartAtOnceUntilTheWarmOnesAreThere() {
        factory.atOnce = false;
        ChildPool pool = pool(5, 3);
        assertThat(factory.pending).hasSize(2);
        factory.complete(factory.pending.get(0));
        assertThat(factory.pending).hasSize(2);
        factory.complete(factory.pending.get(0));
        assertThat(factory.pending).hasSize(1);
        factory.complete(factory.pending.get(0));
        assertThat(factory.pending).isEmpty();
        assertThat(pool.children()).hasSize(3);
    }

    @Test
    void aChildHasOneQueryAtATimeAndIsUsedAgain() {
        ChildPool pool = pool(2, 2);
        Lease one = now(pool.borrow(Use.QUERY, 0));
        Lease two = now(pool.borrow(Use.QUERY, 0));
        assertThat(one.child()).isNotSameAs(two.child());
        one.release(null);
        one.release(failed(EngineFailure.LOST));
        assertThat(now(pool.borrow(Use.QUERY, 0)).child()).isSameAs(one.child());
        assertThat(factory.started).hasSize(2);
    }

    @Test
    void aNewChildWasUsedByNobodyAndEndsWithItsCall() {
        ChildPool pool = pool(2, 2);
        Lease first = now(pool.borrow(Use.QUERY, 0));
        assertThat(first.isUsed()).isFalse();
        first.release(null);
        assertThat(now(pool.borrow(Use.QUERY, 0)).isUsed()).isTrue();
        Lease fresh = now(pool.borrowNew(0));
        assertThat(fresh.isUsed()).isFalse();
        assertThat(fresh.memoryBytes()).isEqualTo(BYTES);
        assertThat(factory.last()).isSameAs(fresh.child());
        assertThat(failure(pool.borrowNew(0))).isEqualTo(EngineFailure.BUSY);
        fresh.release(null);
        assertThat(factory.last().killed).isTrue();
        assertThat(pool.children()).hasSize(2);
    }

    @Test
    void aLoanHasTheMemoryOfItsQuery() {
        ChildPool pool = pool(3, 3);
        Lease less = now(pool.borrow(Use.QUERY, BYTES - 1));
        Lease usual = now(pool.borrow(Use.QUERY, 0));
        Lease more = now(pool.borrow(Use.QUERY, BYTES + 1));
        assertThat(less.memoryBytes()).isEqualTo(BYTES - 1);
        assertThat(less.child().request().memoryBytes()).as("one of the usual").isEqualTo(BYTES);
        assertThat(usual.memoryBytes()).isEqualTo(BYTES);
        assertThat(more.memoryBytes()).isEqualTo(BYTES + 1);
        assertThat(more.child().request().memoryBytes()).as("one of its own").isEqualTo(BYTES + 1);
    }

    @Test
    void beyondTheSlotsIsBusyAndTheSharedOneIsNotCounted() {
        ChildPool pool = pool(1, 2);
        Lease one = now(pool.borrow(Use.QUERY, 0));
        assertThat(failure(pool.borrow(Use.QUERY, 0))).isEqualTo(EngineFailure.BUSY);
        Lease shared = now(pool.borrow(Use.SHARED, 0));
        assertThat(shared.child()).isNotSameAs(one.child());
        one.release(null);
        assertThat(now(pool.borrow(Use.QUERY, 0)).child()).isSameAs(one.child());
    }

    @Test
    void shortQueriesLeaveSlotsToTheOthers() {
        ChildPool pool = pool(3, 1, 3, Duration.ofSeconds(60));
        assertThat(pool.hasRoomForShort()).isTrue();
        Lease one = now(pool.borrow(Use.SHORT, 0));
        assertThat(pool.hasRoomForShort()).isFalse();
        assertThat(failure(pool.borrow(Use.SHORT, 0))).isEqualTo(EngineFailure.BUSY);
        now(pool.borrow(Use.QUERY, 0));
        now(pool.borrow(Use.QUERY, 0));
        one.release(null);
        assertThat(pool.hasRoomForShort()).isTrue();
    }

    @Test
    void aSpoiledChildIsReplacedAndOneWhoseQueryWasWrongIsNot() {
        ChildPool pool = pool(1, 1);
        Lease wrong = now(pool.borrow(Use.QUERY, 0));
        wrong.release(failed(EngineFailure.EXECUTION));
        Lease same = now(pool.borrow(Use.QUERY, 0));
        assertThat(same.child()).isSameAs(wrong.child());
        for (EngineFailure spoiling : new EngineFailure[] {EngineFailure.MEMORY, EngineFailure.LOST}) {
            Lease lease = now(pool.borrow(Use.SHARED, 0));
            lease.release(failed(spoiling));
            assertThat(((FakeChild) lease.child()).killed).isTrue();
            assertThat(now(pool.borrow(Use.SHARED, 0)).child()).isNotSameAs(lease.child());
        }
    }

    @Test
    void aFullDiskDoesNotSpoil() {
        assertThat(ChildFailures.spoils(new EngineException(EngineFailure.MEMORY, "Full", "53100", -1, null)))
                .isFalse();
        assertThat(ChildFailures.spoils(new EngineException(EngineFailure.MEMORY, "Full", "53200", -1, null)))
                .isTrue();
    }

    @Test
    void anIdleChildThatEndsIsReplaced() {
        ChildPool pool = pool(1, 1);
        factory.last().crash(139, false);
        assertThat(factory.started).hasSize(2);
        assertThat(now(pool.borrow(Use.QUERY, 0)).child()).isSameAs(factory.last());
    }

    @Test
    void anotherDatabaseReplacesIdleChildrenAtOnceAndOthersAfterTheirQuery() {
        ChildPool pool = pool(2, 2);
        Lease old = now(pool.borrow(Use.QUERY, 0));
        FakeChild idle = factory.started.stream()
                .filter(child -> child != old.child())
                .findFirst()
                .orElseThrow();
        version.set(SECOND);
        Lease fresh = now(pool.borrow(Use.QUERY, 0));
        assertThat(fresh.child().request().version()).isEqualTo(SECOND);
        assertThat(idle.killed).isTrue();
        assertThat(((FakeChild) old.child()).killed).isFalse();
        assertThat(pool.nodes()).extracting(EngineNode::state).contains(EngineNode.State.DRAINING);
        old.release(null);
        assertThat(((FakeChild) old.child()).killed).isTrue();
    }

    @Test
    void aDatabaseThatIsReplacedWhileAChildStartsIsSeenToo() {
        factory.atOnce = false;
        ChildPool pool = pool(1, 1);
        CompletableFuture<Lease> wish = pool.borrow(Use.QUERY, 0);
        FakeFactory.Start start = factory.pending.get(0);
        version.set(SECOND);
        FakeChild old = factory.complete(start);
        assertThat(old.killed).isTrue();
        assertThat(wish).isNotDone();
        factory.complete(factory.pending.get(0));
        assertThat(now(wish).child().request().version()).isEqualTo(SECOND);
    }

    @Test
    void aDatabaseThatIsGoneForAMomentIsNoOther() {
        ChildPool pool = pool(1, 1);
        version.set(FileVersion.NONE);
        assertThat(((FakeChild) now(pool.borrow(Use.QUERY, 0)).child()).killed).isFalse();
        assertThat(factory.started).hasSize(1);
    }

    @Test
    void aStartThatFailsIsTriedAgain() {
        factory.atOnce = false;
        ChildPool pool = pool(1, 1);
        CompletableFuture<Lease> wish = pool.borrow(Use.QUERY, 0);
        factory.fail(factory.pending.get(0));
        Awaitility.await().until(() -> !factory.pending.isEmpty());
        factory.complete(factory.pending.get(0));
        assertThat(Rows.await(wish).child()).isSameAs(factory.last());
    }

    @Test
    void whoWaitsTooLongIsToldToQueueAgainAndLeavesHisSlot() {
        factory.atOnce = false;
        ChildPool pool = pool(1, 1, 1, Duration.ofMillis(20));
        assertThat(failure(pool.borrow(Use.QUERY, 0))).isEqualTo(EngineFailure.BUSY);
        // Describing and the like have no queue.
        assertThat(failure(pool.borrow(Use.SHARED, 0))).isEqualTo(EngineFailure.UNAVAILABLE);
        factory.complete(factory.pending.get(0));
        assertThat(now(pool.borrow(Use.QUERY, 0)).child()).isSameAs(factory.last());
    }

    @Test
    void whereNoneCanBeStartedWhoWaitsTooLongIsTurnedAway() {
        factory.atOnce = false;
        ChildPool pool = pool(1, 1, 1, Duration.ofMillis(20));
        factory.fail(factory.pending.get(0));
        assertThat(failure(pool.borrow(Use.QUERY, 0))).isEqualTo(EngineFailure.UNAVAILABLE);
    }

    @Test
    void aWishThatIsGivenUpTakesNoChild() {
        factory.atOnce = false;
        ChildPool pool = pool(1, 1);
        CompletableFuture<Lease> wish = pool.borrow(Use.QUERY, 0);
        wish.completeExceptionally(ChildFailures.cancelled());
        CompletableFuture<Lease> next = pool.borrow(Use.QUERY, 0);
        factory.complete(factory.pending.get(0));
        assertThat(now(next).child()).isSameAs(factory.last());
    }

    @Test
    void aQueryWithMoreMemoryGetsAChildOfItsOwnSizeOnce() {
        ChildPool pool = pool(2, 1);
        Lease large = now(pool.borrow(Use.QUERY, 3 * BYTES));
        assertThat(large.child().request().memoryBytes()).isEqualTo(3 * BYTES);
        assertThat(pool.nodes()).extracting(EngineNode::reservedBytes).contains(3 * BYTES);
        large.release(null);
        assertThat(((FakeChild) large.child()).killed).isTrue();
        assertThat(now(pool.borrow(Use.QUERY, BYTES)).child().request().memoryBytes())
                .isEqualTo(BYTES);
    }

    @Test
    void aStuckQueryGoesWithItsProcess() {
        ChildPool pool = pool(1, 1);
        Lease lease = now(pool.borrow(Use.QUERY, 0));
        lease.stuck();
        assertThat(((FakeChild) lease.child()).killed).isTrue();
        lease.release(null);
        assertThat(now(pool.borrow(Use.QUERY, 0)).child()).isNotSameAs(lease.child());
    }

    @Test
    void aClosedPoolEndsItsChildrenAndTurnsEverybodyAway() {
        factory.atOnce = false;
        ChildPool pool = pool(2, 1);
        factory.complete(factory.pending.get(0));
        Lease lease = now(pool.borrow(Use.QUERY, 0));
        CompletableFuture<Lease> waiting = pool.borrow(Use.QUERY, 0);
        pool.close();
        assertThat(((FakeChild) lease.child()).killed).isTrue();
        assertThat(failure(waiting)).isEqualTo(EngineFailure.UNAVAILABLE);
        assertThat(failure(pool.borrow(Use.QUERY, 0))).isEqualTo(EngineFailure.UNAVAILABLE);
        assertThat(factory.complete(factory.pending.get(0)).killed).isTrue();
    }
}
