package dev.weir.admission;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
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
                // Whoever waits for the lock goes round its loop; with three threads that is soon taken for a hang.
                .loopBound(1_000)
                // It has a lock of its own, and nothing that is checked here hangs on it.
                .addGuarantee(inOneStep(QueueAlarm.class, "setFor"))
                .iterations(iterations)
                .invocationsPerIteration(invocations)
                .threads(2)
                .actorsPerThread(4)
                .actorsBefore(1)
                .actorsAfter(1);
    }

    /**
     * Leaves out the interleavings within what the controller calls, so that the few that are tried hit those that
     * matter. What is left out is under the lock, which Error Prone checks. It has to be called by its name, not through
     * a reference to the method, which the model checker does not see.
     *
     * <p>What is made within a step that is left out passes for its thread's own for ever: the model checker switches at
     * no access to it. So waiters and permits made under this guarantee are checked where they meet the lock, but not in
     * their compare-and-sets; for those see {@link #onlyTheControllerOnceAllArrived}.
     */
    static ManagedStrategyGuarantee onlyTheController() {
        return ManagedStrategyGuaranteeKt.forClasses(Stream.concat(Stream.of(Admitter.class.getName()), underTheLock())
                        .toArray(String[]::new))
                .allMethods()
                .treatAsAtomic();
    }

    /** The same, but for what makes waiters and permits: for scenarios in which all arrive before the threads start. */
    static ModelCheckingOptions onlyTheControllerOnceAllArrived(ModelCheckingOptions options) {
        return options.addGuarantee(
                        ManagedStrategyGuaranteeKt.forClasses(underTheLock().toArray(String[]::new))
                                .allMethods()
                                .treatAsAtomic())
                .addGuarantee(ManagedStrategyGuaranteeKt.forClasses(Admitter.class.getName())
                        .methods("release", "withdraw", "dispatch", "refuse", "pause", "resume")
                        .treatAsAtomic());
    }

    private static Stream<String> underTheLock() {
        return Stream.of(
                        Turns.class,
                        Lane.class,
                        Pauses.class,
                        Ledger.class,
                        Inspector.class,
                        WaitForecast.class,
                        Waiting.class,
                        Callbacks.class)
                .map(Class::getName);
    }

    /** Leaves out the interleavings within one method, as one that makes what the calls under test begin with. */
    static ManagedStrategyGuarantee inOneStep(Class<?> of, String method) {
        return ManagedStrategyGuaranteeKt.forClasses(of.getName())
                .methods(method)
                .treatAsAtomic();
    }

    /**
     * One that is tried for certain, beside those made at random, which few iterations leave to luck and none leaves out.
     *
     * @param before names of calls made first, with a space between; {@code admit:1} is one with an argument
     * @param one calls of one thread
     * @param other calls of another at the same time
     * @param after calls made when both are done
     */
    static ExecutionScenario scenario(Class<?> calls, String before, String one, String other, String after) {
        return new ExecutionScenario(
                actors(calls, before), List.of(actors(calls, one), actors(calls, other)), actors(calls, after), null);
    }

    private static List<Actor> actors(Class<?> calls, String names) {
        return names.isEmpty()
                ? List.of()
                : Arrays.stream(names.split(" ", -1))
                        .map(name -> actor(calls, name))
                        .toList();
    }

    private static Actor actor(Class<?> calls, String call) {
        int colon = call.indexOf(':');
        String name = colon < 0 ? call : call.substring(0, colon);
        Method method = Arrays.stream(calls.getMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        return new Actor(method, colon < 0 ? List.of() : List.of(Integer.valueOf(call.substring(colon + 1))));
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
