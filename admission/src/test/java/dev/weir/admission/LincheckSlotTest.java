package dev.weir.admission;

import static dev.weir.admission.ModelChecking.onlyTheControllerOnceAllArrived;
import static dev.weir.admission.ModelChecking.options;
import static dev.weir.admission.ModelChecking.request;
import static dev.weir.admission.ModelChecking.scenario;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * One slot that two queries want, under every interleaving that is tried: with a timeout, with a pause. The latter fails,
 * for one, when a pause looks at the permit's place before it has the lock, and the permit is closed in between.
 */
class LincheckSlotTest {

    @Test
    void aGrantACancelAndATimeoutOfOneWaiterAgreeOnItsEnd() {
        onlyTheControllerOnceAllArrived(options(0, 100))
                .addCustomScenario(scenario(OneWaiterCalls.class, "arrive", "close", "cancel count", "count"))
                .addCustomScenario(scenario(OneWaiterCalls.class, "arrive", "close", "expire count", "count"))
                .addCustomScenario(scenario(OneWaiterCalls.class, "arrive", "cancel", "expire count", "count"))
                .sequentialSpecification(OneWaiter.class)
                .check(OneWaiterCalls.class);
    }

    @Test
    void aSlotThatIsLentTakenBackAndGivenBackIsCountedOnce() {
        onlyTheControllerOnceAllArrived(options(0, 100))
                .addCustomScenario(scenario(OnePausedCalls.class, "arrive", "pause", "close", "count"))
                .addCustomScenario(scenario(OnePausedCalls.class, "arrive pause", "resume", "close count", "count"))
                .sequentialSpecification(OnePaused.class)
                .check(OnePausedCalls.class);
    }

    /** One runs, one waits for the only slot: what lending it, taking it back and closing must look like from outside. */
    public static class OnePaused {

        private enum First {
            RUNS,
            PAUSED,
            RESUMING,
            GONE
        }

        private First first = First.RUNS;
        private boolean secondRuns;

        public void arrive() {
            // They are there.
        }

        public boolean pause() {
            if (first != First.RUNS) {
                return false;
            }
            first = First.PAUSED;
            secondRuns = true;
            return true;
        }

        public boolean resume() {
            if (first == First.PAUSED) {
                first = First.RESUMING;
            }
            return first == First.RUNS || first == First.GONE;
        }

        public void close() {
            first = First.GONE;
            secondRuns = true;
        }

        public String count() {
            int running = (first == First.RUNS ? 1 : 0) + (secondRuns ? 1 : 0);
            int paused = first == First.PAUSED || first == First.RESUMING ? 1 : 0;
            return running + " run, " + (secondRuns ? 0 : 1) + " wait, " + paused + " paused";
        }
    }

    /** The same in the controller. */
    public static class OnePausedCalls {

        private final FairAdmissionController controller =
                ModelChecking.controller(Tree.running(1).build(), AdmissionListener.NONE);
        private @Nullable Permit permit;

        /** Not in the constructor: there the model checker gives out other identity hash codes than later. */
        @Operation(runOnce = true)
        public void arrive() {
            permit = ((Waiter.End.Granted) ((Waiter) controller.admit(request(0))).end()).permit();
            controller.admit(request(1));
        }

        @Operation(runOnce = true)
        public boolean pause() {
            return permit.pause();
        }

        @Operation(runOnce = true)
        public boolean resume() {
            return permit.resume().toCompletableFuture().isDone();
        }

        @Operation(runOnce = true)
        public void close() {
            permit.close(RunPermit.Outcome.FINISHED);
        }

        @Operation
        public String count() {
            AdmissionSnapshot counted = controller.snapshot();
            return counted.running() + " run, " + counted.queued() + " wait, " + counted.paused() + " paused";
        }
    }

    /** One runs, one waits: what closing, cancelling and timing out must look like from outside. */
    public static class OneWaiter {

        private boolean waits = true;
        private int running = 1;
        private boolean closed;

        public void arrive() {
            // They are there.
        }

        public void close() {
            if (!closed) {
                closed = true;
                running = waits ? 1 : 0;
                waits = false;
            }
        }

        public boolean cancel() {
            boolean ended = waits;
            waits = false;
            return ended;
        }

        public void expire() {
            waits = false;
        }

        public String count() {
            return running + " run, " + (waits ? 1 : 0) + " wait";
        }
    }

    /** Counts how often the end of the second one's wait is told. */
    private record EndsOfTheSecond(AtomicInteger told) implements AdmissionListener {

        private void tell(AdmissionRequest request) {
            if (request.queryId().equals("q1")) {
                told.incrementAndGet();
            }
        }

        @Override
        public void granted(AdmissionRequest request, RunPermit permit) {
            tell(request);
        }

        @Override
        public void rejected(AdmissionRequest request, Rejection rejection) {
            tell(request);
        }

        @Override
        public void cancelled(AdmissionRequest request) {
            tell(request);
        }
    }

    /** The same in the controller. */
    public static class OneWaiterCalls {

        /** How often it was told that the second has ended. */
        private final AtomicInteger told = new AtomicInteger();

        private volatile long now;
        private volatile @Nullable Runnable alarm;
        private final FairAdmissionController controller = new FairAdmissionController(
                Limits.running(1).build(),
                () -> now,
                (task, delay) -> {
                    alarm = task;
                    return () -> {};
                },
                new Callbacks(Runnable::run, new EndsOfTheSecond(told)));
        private @Nullable Waiter runs;
        private @Nullable Waiter waits;

        /** Not in the constructor: there the model checker gives out other identity hash codes than later. */
        @Operation(runOnce = true)
        public void arrive() {
            runs = (Waiter) controller.admit(request(0));
            waits = (Waiter) controller.admit(request(1));
        }

        @Operation(runOnce = true)
        public void close() {
            ((Waiter.End.Granted) runs.end()).permit().close(RunPermit.Outcome.FINISHED);
        }

        @Operation(runOnce = true)
        public boolean cancel() {
            return waits.cancel();
        }

        @Operation(runOnce = true)
        public void expire() {
            now = Duration.ofDays(100).toNanos();
            alarm.run();
        }

        @Operation
        public String count() {
            AdmissionSnapshot counted = controller.snapshot();
            return counted.running() + " run, " + counted.queued() + " wait";
        }

        @Validate
        public void theEndIsToldOnce() {
            if (told.get() > 1) {
                throw new IllegalStateException("told " + told + " times");
            }
        }
    }
}
