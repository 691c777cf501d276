package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CallbacksTest {

    @Test
    void anExecutorThatRejectsLeaksNoPermit() {
        Gate gate = new Gate(Limits.running(1).timeout(Duration.ofSeconds(5)), task -> {
            throw new RejectedExecutionException("full");
        });
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        Gate.Query third = gate.submit("ann");
        Gate.Query fourth = gate.submit("ann");

        first.finish();
        assertThat(second.isRunning()).isTrue();
        third.admission.cancel();
        assertThat(third.cancelled).isTrue();
        gate.time.advance(Duration.ofSeconds(5));
        assertThat(fourth.rejection).isInstanceOf(Rejection.QueueTimeout.class);
        second.finish();
        gate.assertIdle();
    }

    @Test
    void anExecutorThatQueuesTheTaskAndThrowsRunsItOnce() {
        List<Runnable> queuedAnyway = new ArrayList<>();
        Gate gate = new Gate(Limits.running(1), task -> {
            queuedAnyway.add(task);
            throw new OutOfMemoryError("unable to create native thread");
        });
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");

        first.finish();
        queuedAnyway.forEach(Runnable::run);

        assertThat(second.isRunning()).isTrue();
        assertThat(gate.granted).containsExactly(first.id, second.id);
    }

    @Test
    void aLongQueueHandedOnInOneThreadDoesNotOverflowTheStack() {
        AtomicInteger ran = new AtomicInteger();
        Gate gate = new Gate(Limits.running(1), task -> {
            throw new RejectedExecutionException("shut down");
        });
        Gate.Query first = gate.submit("ann");
        for (int i = 0; i < 50_000; i++) {
            gate.submit("ann").admission.permit().thenAccept(permit -> {
                ran.incrementAndGet();
                permit.close(RunPermit.Outcome.FINISHED);
            });
        }

        first.finish();

        assertThat(ran).hasValue(50_000);
        gate.assertIdle();
    }

    @Test
    void aListenerThatThrowsIsCountedAndHarmsNobody() {
        VirtualTime time = new VirtualTime();
        AdmissionController controller = AdmissionControllers.create(
                Limits.running(1).timeout(Duration.ofSeconds(5)).build(),
                time,
                time,
                Runnable::run,
                new ThrowingListener());
        List<RunPermit> permits = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        Admission[] admissions = new Admission[4];
        for (int i = 0; i < 4; i++) {
            admissions[i] = controller.admit(
                    new AdmissionRequest("q" + i, "ann", List.of(), 1, OptionalLong.empty(), Duration.ofSeconds(9)));
            admissions[i].permit().whenComplete((permit, failure) -> {
                if (permit != null) {
                    permits.add(permit);
                } else {
                    failures.add(failure);
                }
            });
        }

        permits.get(0).close(RunPermit.Outcome.FINISHED);
        admissions[2].cancel();
        time.advance(Duration.ofSeconds(5));
        permits.get(1).close(RunPermit.Outcome.FAILED);

        assertThat(permits).hasSize(2);
        assertThat(failures).hasSize(2);
        assertThat(controller.snapshot().running()).isZero();
        // granted 2, queued 3, released 2, cancelled 1, rejected 1
        assertThat(controller.listenerFailures()).isEqualTo(9);
    }

    @Test
    void theListenerHearsOfAQueryInOrder() {
        Gate gate = new Gate(Limits.running(1));
        Gate.Query first = gate.submit("ann");
        Gate.Query second = gate.submit("ann");
        first.finish();
        second.finish();

        assertThat(gate.events)
                .containsExactly(
                        "granted " + first.id,
                        "queued " + second.id,
                        "released " + first.id,
                        "granted " + second.id,
                        "released " + second.id);
    }

    @Test
    void aListenerMayCallTheControllerSinceNoLockIsHeld() throws InterruptedException {
        List<AdmissionSnapshot> seen = new ArrayList<>();
        AdmissionController[] controller = new AdmissionController[1];
        VirtualTime time = new VirtualTime();
        AdmissionListener listener = new AdmissionListener() {
            @Override
            public void granted(AdmissionRequest request, RunPermit permit) {
                // From another thread: a lock still held would block it.
                Thread other = new Thread(() -> seen.add(controller[0].snapshot()));
                other.start();
                try {
                    other.join(Duration.ofSeconds(10).toMillis());
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
        controller[0] = AdmissionControllers.create(Limits.running(1).build(), time, time, Runnable::run, listener);

        controller[0].admit(new AdmissionRequest("q", "ann", List.of(), 1, OptionalLong.empty(), Duration.ZERO));

        assertThat(seen).extracting(AdmissionSnapshot::running).containsExactly(1);
    }

    private static final class ThrowingListener implements AdmissionListener {

        @Override
        public void queued(AdmissionRequest request) {
            throw new IllegalStateException();
        }

        @Override
        public void granted(AdmissionRequest request, RunPermit permit) {
            throw new AssertionError();
        }

        @Override
        public void rejected(AdmissionRequest request, Rejection rejection) {
            throw new IllegalStateException();
        }

        @Override
        public void cancelled(AdmissionRequest request) {
            throw new IllegalStateException();
        }

        @Override
        public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
            throw new IllegalStateException();
        }
    }
}
