package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The child that many short calls use at once. */
class SharedChildTest {

    private final FakeFactory factory = new FakeFactory();
    private final ScheduledExecutorService timers = Timers.create();
    private final AtomicReference<FileVersion> version = new AtomicReference<>(new FileVersion("a", 1, 1));
    private final ChildPool pool = new ChildPool(
            new PoolSize(1, 1, 2, new ChildRequest(100, 1, 4, FileVersion.NONE), 2, Duration.ofSeconds(60)),
            factory,
            version::get,
            timers);
    private final SharedChild shared = new SharedChild(pool, version::get, timers);

    @AfterEach
    void stopTimers() {
        timers.shutdownNow();
    }

    @Test
    void callsShareOneChild() {
        Lease one = shared.lease().join();
        Lease two = shared.lease().join();
        assertThat(one.child()).isSameAs(two.child());
        one.release(null);
        two.release(new EngineException(EngineFailure.SYNTAX, "It failed"));
        assertThat(shared.lease().join().child()).isSameAs(one.child());
    }

    @Test
    void aSpoiledOneTakesNobodyNewAndEndsWhenTheLastHasLeft() {
        Lease one = shared.lease().join();
        Lease two = shared.lease().join();
        one.release(new EngineException(EngineFailure.MEMORY, "It failed"));
        FakeChild old = (FakeChild) one.child();
        assertThat(old.killed).isFalse();
        assertThat(shared.lease().join().child()).isNotSameAs(old);
        two.release(null);
        assertThat(old.killed).isTrue();
    }

    @Test
    void anotherDatabaseMeansAnotherChild() {
        Lease old = shared.lease().join();
        version.set(new FileVersion("b", 2, 2));
        assertThat(shared.lease().join().child()).isNotSameAs(old.child());
        assertThat(((FakeChild) old.child()).killed).isFalse();
        old.release(null);
        assertThat(((FakeChild) old.child()).killed).isTrue();
    }

    @Test
    void oneThatHasEndedIsNotGivenOut() {
        Lease old = shared.lease().join();
        ((FakeChild) old.child()).crash(139, false);
        assertThat(shared.lease().join().child()).isNotSameAs(old.child());
    }
}
