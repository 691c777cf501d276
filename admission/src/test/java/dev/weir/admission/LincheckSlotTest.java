package dev.weir.admission;

import static dev.weir.admission.ModelChecking.inOneStep;
import static dev.weir.admission.ModelChecking.onlyTheController;
import static dev.weir.admission.ModelChecking.options;
import static dev.weir.admission.ModelChecking.request;
import static dev.weir.admission.ModelChecking.scenario;

import java.time.Duration;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * One slot that two queries want, under every interleaving that is tried: with a timeout, with a pause. The latter fails,
 * for one, when a pause looks at the permit's place before it has the lock, and the permit is closed in between.
 */
class LincheckSlotTest {

    @Test
    void aGrantACancelAndATimeoutOfOneWaiterAgreeOnItsEnd() {
        options(1, 100)
                .addCustomScenario(scenario(OneWaiterCalls.class, "count", "close", "cancel count", "count"))
                .addCustomScenario(scenario(OneWaiterCalls.class, "count", "close", "expire count", "count"))
                .addCustomScenario(scenario(OneWaiterCalls.class, "count", "cancel", "expire count", "count"))
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OneWaiter.class)
                .addGuarantee(onlyTheController())
                .addGuarantee(inOneStep(OneWaiterCalls.class, "arrive"))
                .check(OneWaiterCalls.class);
    }

    @Test
    void aSlotThatIsLentTakenBackAndGivenBackIsCountedOnce() {
        options(1, 100)
                .addCustomScenario(scenario(OnePausedCalls.class, "count", "pause", "close", "count"))
                .addCustomScenario(scenario(OnePausedCalls.class, "pause", "resume", "close count", "count"))
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OnePaused.class)
                .addGuarantee(onlyTheController())
                .addGuarantee(inOneStep(OnePausedCalls.class, "permit"))
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

        @Operation(runOnce = true)
        public boolean pause() {
            return permit().pause();
        }

        @Operation(runOnce = true)
        public boolean resume() {
            return permit().resume().toCompletableFuture().isDone();
        }

        @Operation(runOnce = true)
        public void close() {
            permit().close(RunPermit.Outcome.FINISHED);
        }

        @Operation
        public String count() {
            permit();
            AdmissionSnapshot counted = controller.snapshot();
            return counted.running() + " run, " + counted.queued() + " wait, " + counted.paused() + " paused";
        }

        private synchronized Permit permit() {
            if (permit == null) {
                permit = ((Waiter.End.Granted) ((Waiter) controller.admit(request(0))).end()).permit();
                controller.admit(request(1));
            }
            return permit;
        }
    }

    /** One runs, one waits: what closing, cancelling and timing out must look like from outside. */
    public static class OneWaiter {

        private boolean waits = true;
        private int running = 1;
        private boolean closed;

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

    /** The same in the controller. */
    public static class OneWaiterCalls {

        private volatile long now;
        private volatile @Nullable Runnable alarm;
        private final FairAdmissionController controller = new FairAdmissionController(
                Limits.running(1).build(),
                () -> now,
                (task, delay) -> {
                    alarm = task;
                    return () -> {};
                },
                new Callbacks(Runnable::run, AdmissionListener.NONE));
        private @Nullable Waiter runs;
        private @Nullable Waiter waits;

        @Operation(runOnce = true)
        public void close() {
            arrive();
            ((Waiter.End.Granted) runs.end()).permit().close(RunPermit.Outcome.FINISHED);
        }

        @Operation(runOnce = true)
        public boolean cancel() {
            arrive();
            return waits.cancel();
        }

        @Operation(runOnce = true)
        public void expire() {
            arrive();
            now = Duration.ofDays(100).toNanos();
            alarm.run();
        }

        @Operation
        public String count() {
            arrive();
            AdmissionSnapshot counted = controller.snapshot();
            return counted.running() + " run, " + counted.queued() + " wait";
        }

        /** Not in the constructor: there the model checker gives out other identity hash codes than later. */
        private synchronized void arrive() {
            if (runs == null) {
                runs = (Waiter) controller.admit(request(0));
                waits = (Waiter) controller.admit(request(1));
            }
        }
    }
}
