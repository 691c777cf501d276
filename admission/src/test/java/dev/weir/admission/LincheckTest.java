package dev.weir.admission;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Model checking of interleavings: what concurrent calls return must be what some order of the same calls, one after
 * the other, returns. Few interleavings in the normal build, since each is run under a debugger of sorts; many in the
 * full one.
 */
class LincheckTest {

    @Test
    void aWaiterEndsOnceUnderEveryInterleaving() {
        options(3, 50).check(WaiterCalls.class);
    }

    @Test
    void aPermitIsGivenBackOnceUnderEveryInterleaving() {
        options(2, 100)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .verifier(EpsilonVerifier.class)
                .addGuarantee(
                        oneStep(Admitter.class, Inspector.class, WaitForecast.class, Waiting.class, Callbacks.class))
                .check(PermitCalls.class);
    }

    @Test
    void aGrantACancelAndATimeoutOfOneWaiterAgreeOnItsEnd() {
        options(2, 250)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OneWaiter.class)
                .addGuarantee(
                        oneStep(Admitter.class, Inspector.class, WaitForecast.class, Waiting.class, Callbacks.class))
                .check(OneWaiterCalls.class);
    }

    @Test
    void aSlotThatIsLentTakenBackAndGivenBackIsCountedOnce() {
        options(2, 150)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(1)
                .sequentialSpecification(OnePaused.class)
                .addGuarantee(
                        oneStep(Admitter.class, Inspector.class, WaitForecast.class, Waiting.class, Callbacks.class))
                .check(OnePausedCalls.class);
    }

    @Test
    void theControllerIsLinearizable() {
        options(4, 50)
                .actorsPerThread(2)
                .sequentialSpecification(FirstComeFirstServed.class)
                .addGuarantee(
                        oneStep(Admitter.class, Inspector.class, WaitForecast.class, Waiting.class, Callbacks.class))
                .check(ControllerCalls.class);
    }

    @Test
    @Tag("full")
    void theControllerIsLinearizableOverManyScenarios() {
        options(30, 500)
                .threads(3)
                .sequentialSpecification(FirstComeFirstServed.class)
                .check(ControllerCalls.class);
    }

    private static ModelCheckingOptions options(int iterations, int invocations) {
        return new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(invocations)
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /**
     * Leaves out the interleavings within these classes, so that the few that are tried hit those that matter. What they
     * do is under the lock, which Error Prone checks.
     */
    private static ManagedStrategyGuarantee oneStep(Class<?>... classes) {
        return ManagedStrategyGuaranteeKt.forClasses(
                        Arrays.stream(classes).map(Class::getName).toArray(String[]::new))
                .allMethods()
                .treatAsAtomic();
    }

    private static FairAdmissionController controller(Limits limits, AdmissionListener listener) {
        return new FairAdmissionController(
                limits.build(), () -> 0, (task, delay) -> () -> {}, new Callbacks(Runnable::run, listener));
    }

    private static Account account() {
        AdmissionLimits limits = Limits.running(1).build();
        Account group = Account.ofGroup(AdmissionLimits.DEFAULT_GROUP, limits.group(AdmissionLimits.DEFAULT_GROUP));
        return Account.ofUser("user0", group);
    }

    private static AdmissionRequest request(int user) {
        return new AdmissionRequest(
                "q" + user, "user" + user, List.of(), user, OptionalLong.empty(), Duration.ofSeconds(1));
    }

    /** All that may end a waiter. */
    public static class WaiterCalls {

        private final FairAdmissionController controller = controller(Limits.running(1), AdmissionListener.NONE);
        private final Waiter waiter = new Waiter(request(0), account(), controller);
        private final Permit permit = new Permit(
                waiter, Slots.ALL, new FairQueue(new Capacity(Limits.running(1).build())), 0, controller);

        @Operation
        public boolean grant() {
            return waiter.markGranted(permit);
        }

        @Operation
        public boolean refuse() {
            return waiter.markRefused(new Rejection.MemoryTooLarge(2, 1));
        }

        @Operation
        public boolean cancel() {
            return waiter.markCancelled();
        }

        @Operation
        public boolean isWaiting() {
            return waiter.isWaiting();
        }
    }

    /** One permit, closed by everybody. */
    public static class PermitCalls {

        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();
        private final FairAdmissionController controller = controller(Limits.running(1), new AdmissionListener() {
            @Override
            public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
                released.incrementAndGet();
            }
        });
        private @Nullable Permit permit;

        @Operation
        public void finish() {
            close(RunPermit.Outcome.FINISHED);
        }

        @Operation
        public void abort() {
            close(RunPermit.Outcome.CANCELLED);
        }

        private void close(RunPermit.Outcome outcome) {
            permit().close(outcome);
            closed.incrementAndGet();
        }

        /** Not made in the constructor: there the model checker gives out other identity hash codes than later. */
        private synchronized Permit permit() {
            if (permit == null) {
                permit = ((Waiter.End.Granted) ((Waiter) controller.admit(request(0))).end()).permit();
            }
            return permit;
        }

        @Validate
        public void releasedOnce() {
            // No AssertJ here: the model checker watches this code, too, and calls equals on an assertion.
            if (released.get() != Math.min(1, closed.get())
                    || controller.snapshot().running() != 0) {
                throw new IllegalStateException("closed " + closed + ", released " + released);
            }
        }
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

        private final FairAdmissionController controller = new FairAdmissionController(
                Tree.running(1).build(),
                () -> 0,
                (task, delay) -> () -> {},
                new Callbacks(Runnable::run, AdmissionListener.NONE));
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

    /**
     * What the controller must look like from outside. Each thread is a user of its own and time stands still, so that
     * no one is charged anything: turns are by arrival.
     */
    public static class FirstComeFirstServed {

        private final List<Integer> running = new ArrayList<>();
        private final List<Integer> waiting = new ArrayList<>();
        private int maxRunning = 1;

        public String admit(int thread) {
            if (running.contains(thread) || waiting.contains(thread)) {
                return "asked before";
            }
            waiting.add(thread);
            grant();
            return "asked";
        }

        public String close(int thread) {
            if (waiting.contains(thread)) {
                return "waits";
            }
            if (!running.remove((Integer) thread)) {
                return "none";
            }
            grant();
            return "closed";
        }

        public String cancel(int thread) {
            if (running.contains(thread)) {
                return "too late";
            }
            return waiting.remove((Integer) thread) ? "cancelled" : "none";
        }

        public void update(int limit) {
            maxRunning = limit;
            grant();
        }

        public String count() {
            return running.size() + " run, " + waiting.size() + " wait";
        }

        private void grant() {
            while (running.size() < maxRunning && !waiting.isEmpty()) {
                running.add(waiting.remove(0));
            }
        }
    }

    /** Each thread asks for itself; they meet in the controller. */
    public static class ControllerCalls {

        private final FairAdmissionController controller = controller(Limits.running(1), AdmissionListener.NONE);
        private final @Nullable Waiter[] own = new Waiter[8];

        @Operation
        public String admit(@Param(gen = ThreadIdGen.class) int thread) {
            if (own[thread] != null) {
                return "asked before";
            }
            own[thread] = (Waiter) controller.admit(request(thread));
            return "asked";
        }

        @Operation
        public String close(@Param(gen = ThreadIdGen.class) int thread) {
            if (own[thread] == null || !(own[thread].end() instanceof Waiter.End.Granted granted)) {
                return own[thread] == null ? "none" : "waits";
            }
            own[thread] = null;
            granted.permit().close(RunPermit.Outcome.FINISHED);
            return "closed";
        }

        @Operation
        public String cancel(@Param(gen = ThreadIdGen.class) int thread) {
            if (own[thread] == null) {
                return "none";
            }
            if (!own[thread].cancel()) {
                return "too late";
            }
            own[thread] = null;
            return "cancelled";
        }

        @Operation
        public void update(@Param(gen = IntGen.class, conf = "1:2") int maxRunning) {
            controller.update(Limits.running(maxRunning).build());
        }

        @Operation
        public String count() {
            AdmissionSnapshot now = controller.snapshot();
            return now.running() + " run, " + now.queued() + " wait";
        }
    }
}
