package dev.weir.admission;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;

/**
 * Model checking of interleavings: what concurrent calls return must be what some order of the same calls, one after
 * the other, returns. Few interleavings in the normal build, since each is run under a debugger of sorts; many in the
 * full one.
 */
final class ModelChecking {

    private ModelChecking() {}

    static ModelCheckingOptions options(int iterations, int invocations) {
        return new ModelCheckingOptions()
                .iterations(iterations)
                .invocationsPerIteration(invocations)
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /**
     * Leaves out the interleavings within what the controller calls, so that the few that are tried hit those that
     * matter. What is left out is under the lock, which Error Prone checks.
     */
    static ManagedStrategyGuarantee onlyTheController() {
        String[] others = Stream.of(
                        Admitter.class,
                        Lane.class,
                        Pauses.class,
                        Ledger.class,
                        Inspector.class,
                        WaitForecast.class,
                        Waiting.class,
                        Callbacks.class)
                .map(Class::getName)
                .toArray(String[]::new);
        return ManagedStrategyGuaranteeKt.forClasses(others).allMethods().treatAsAtomic();
    }

    /** Leaves out the interleavings within one method of a test, which makes what the calls under test begin with. */
    static ManagedStrategyGuarantee inOneStep(Class<?> calls, String method) {
        return ManagedStrategyGuaranteeKt.forClasses(calls.getName())
                .methods(method)
                .treatAsAtomic();
    }

    /** A controller whose time stands still and whose alarms never ring. */
    static FairAdmissionController controller(AdmissionLimits limits, AdmissionListener listener) {
        return new FairAdmissionController(
                limits, () -> 0, (task, delay) -> () -> {}, new Callbacks(Runnable::run, listener));
    }

    static AdmissionRequest request(int user) {
        return new AdmissionRequest(
                "q" + user, "user" + user, List.of(), user, OptionalLong.empty(), Duration.ofSeconds(1));
    }
}
