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
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One child that is started again when it ends. */
class SupervisorTest {

    private final FakeFactory factory = new FakeFactory();
    private final ScheduledExecutorService timers = Timers.create();
    private final AtomicLong clock = new AtomicLong();

    @AfterEach
    void stopTimers() {
        timers.shutdownNow();
    }

    private Supervisor supervisor(Duration patience) {
        Supervisor supervisor =
                new Supervisor(factory, new ChildRequest(100, 1, 4, FileVersion.NONE), patience, timers, clock::get);
        Rows.await(supervisor.open());
        return supervisor;
    }

    private static EngineFailure failure(CompletableFuture<Lease> lease) {
        return catchThrowableOfType(EngineException.class, () -> Rows.await(lease))
                .failure();
    }

    @Test
    void aChildThatEndsIsStartedAnewAndCallsWaitForIt() {
        Supervisor supervisor = supervisor(Duration.ofSeconds(60));
        FakeChild first = factory.last();
        assertThat(Rows.await(supervisor.lease()).child()).isSameAs(first);
        factory.atOnce = false;
        first.crash(139, false);
        CompletableFuture<Lease> waiting = supervisor.lease();
        assertThat(supervisor.node().state()).isEqualTo(EngineNode.State.DOWN);
        assertThat(supervisor.node().reason()).contains("signal 11");
        Awaitility.await().until(() -> !factory.pending.isEmpty());
        assertThat(waiting).isNotDone();
        FakeChild second = factory.complete(factory.pending.get(0));
        assertThat(Rows.await(waiting).child()).isSameAs(second);
        assertThat(supervisor.node().state()).isEqualTo(EngineNode.State.HEALTHY);
    }

    @Test
    void callsWaitOnlyForATime() {
        Supervisor supervisor = supervisor(Duration.ofMillis(20));
        factory.atOnce = false;
        factory.last().crash(137, false);
        assertThat(failure(supervisor.lease())).isEqualTo(EngineFailure.UNAVAILABLE);
    }

    @Test
    void aStartThatFailsIsTriedAgain() {
        Supervisor supervisor = supervisor(Duration.ofSeconds(60));
        factory.atOnce = false;
        factory.last().crash(137, false);
        Awaitility.await().until(() -> !factory.pending.isEmpty());
        factory.fail(factory.pending.get(0));
        assertThat(supervisor.node().reason()).contains("No such luck");
        Awaitility.await().until(() -> !factory.pending.isEmpty());
        FakeChild second = factory.complete(factory.pending.get(0));
        assertThat(Rows.await(supervisor.lease()).child()).isSameAs(second);
    }

    @Test
    void anEngineThatIsLostInALivingProcessIsEnded() {
        Supervisor supervisor = supervisor(Duration.ofSeconds(60));
        FakeChild first = factory.last();
        Lease lease = Rows.await(supervisor.lease());
        lease.release(new EngineException(EngineFailure.LOST, "Fatal"));
        assertThat(first.killed).isFalse();
        first.engine.last().fail(ChildFailures.unavailable("The engine failed"));
        assertThat(first.killed).isTrue();
        Awaitility.await().until(() -> factory.started.size() == 2);
    }

    @Test
    void aFirstStartThatFailsIsTheReason() {
        factory.atOnce = false;
        Supervisor supervisor = new Supervisor(
                factory, new ChildRequest(100, 1, 4, FileVersion.NONE), Duration.ofSeconds(60), timers, clock::get);
        CompletableFuture<Child> first = supervisor.open();
        factory.fail(factory.pending.get(0));
        assertThat(catchThrowableOfType(ChildStartException.class, () -> Rows.await(first))
                        .setting())
                .isEqualTo("database");
        assertThat(factory.pending).isEmpty();
    }

    @Test
    void aClosedOneTurnsEverybodyAwayAndStartsNothing() {
        Supervisor supervisor = supervisor(Duration.ofSeconds(60));
        supervisor.close();
        assertThat(failure(supervisor.lease())).isEqualTo(EngineFailure.UNAVAILABLE);
        factory.last().crash(0, false);
        assertThat(factory.started).hasSize(1);
    }
}
