package dev.weir.admission;

import static dev.weir.admission.ModelChecking.onlyTheController;
import static dev.weir.admission.ModelChecking.onlyTheControllerOnceAllArrived;
import static dev.weir.admission.ModelChecking.options;
import static dev.weir.admission.ModelChecking.request;
import static dev.weir.admission.ModelChecking.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiters, permits and the controller as a whole under every interleaving that is tried. */
class LincheckTest {

    @Test
    void aWaiterEndsOnceUnderEveryInterleaving() {
        options(3, 50).check(WaiterCalls.class);
    }

    @Test
    void aPermitIsGivenBackOnceUnderEveryInterleaving() {
        onlyTheControllerOnceAllArrived(options(0, 100))
                .addCustomScenario(scenario(PermitCalls.class, "open", "finish", "abort", "finish"))
                .sequentialSpecification(ClosedPermit.class)
                .check(PermitCalls.class);
    }

    @Test
    void theControllerIsLinearizable() {
        options(2, 50)
                .actorsPerThread(2)
                .addCustomScenario(scenario(ControllerCalls.class, "", "admit:0 close:0", "admit:1 cancel:1", "count"))
                .addCustomScenario(scenario(ControllerCalls.class, "admit:0", "close:0", "admit:1 close:1", "count"))
                .addCustomScenario(scenario(ControllerCalls.class, "admit:0 admit:1", "update:2", "cancel:1", "count"))
                .sequentialSpecification(FirstComeFirstServed.class)
                .addGuarantee(onlyTheController())
                .check(ControllerCalls.class);
    }

    @Test
    @Tag("full")
    void theControllerIsLinearizableOverManyScenarios() {
        options(12, 120)
                .threads(3)
                .actorsPerThread(3)
                .sequentialSpecification(FirstComeFirstServed.class)
                .addGuarantee(onlyTheController())
                .check(ControllerCalls.class);
    }

    private static Account account() {
        AdmissionLimits limits = Limits.running(1).build();
        Account group = Account.ofGroup(AdmissionLimits.DEFAULT_GROUP, limits.group(AdmissionLimits.DEFAULT_GROUP));
        return Account.ofUser("user0", group);
    }

    /** All that may end a waiter. */
    public static class WaiterCalls {

        private final FairAdmissionController controller =
                ModelChecking.controller(Limits.running(1).build(), AdmissionListener.NONE);
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

    /** What closing must look like from outside: nothing comes of it, above all no exception. */
    public static class ClosedPermit {

        public void open() {
            // It is there.
        }

        public void finish() {
            // Nobody is told anything.
        }

        public void abort() {
            // Nor here.
        }
    }

    /** One permit, closed by everybody. */
    public static class PermitCalls {

        private final AtomicInteger closed = new AtomicInteger();
        private final AtomicInteger released = new AtomicInteger();
        private final FairAdmissionController controller =
                ModelChecking.controller(Limits.running(1).build(), new AdmissionListener() {
                    @Override
                    public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
                        released.incrementAndGet();
                    }
                });
        private @Nullable Permit permit;

        /** Not in the constructor: there the model checker gives out other identity hash codes than later. */
        @Operation
        public void open() {
            permit = ((Waiter.End.Granted) ((Waiter) controller.admit(request(0))).end()).permit();
        }

        @Operation
        public void finish() {
            close(RunPermit.Outcome.FINISHED);
        }

        @Operation
        public void abort() {
            close(RunPermit.Outcome.CANCELLED);
        }

        private void close(RunPermit.Outcome outcome) {
            permit.close(outcome);
            closed.incrementAndGet();
        }

        @Validate
        public void releasedOnce() {
            // No AssertJ here: the model checker watches this code, too, and calls equals on an assertion.
            int running = permit == null || closed.get() > 0 ? 0 : 1;
            if (released.get() != Math.min(1, closed.get())
                    || controller.snapshot().running() != running) {
                throw new IllegalStateException("closed " + closed + ", released " + released);
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

        private final FairAdmissionController controller =
                ModelChecking.controller(Limits.running(1).build(), AdmissionListener.NONE);
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
