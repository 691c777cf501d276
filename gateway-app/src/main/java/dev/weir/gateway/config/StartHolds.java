package dev.weir.gateway.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.WaitReason;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Why nothing is started now; any reason holds. Thread-safe. */
final class StartHolds {

    private final Consumer<@Nullable WaitReason> hold;

    @GuardedBy("this")
    private final Set<WaitReason> reasons = EnumSet.noneOf(WaitReason.class);

    @GuardedBy("this")
    private @Nullable WaitReason told;

    /** @param hold told why nothing may be started, and null when everything may again; must not block */
    StartHolds(Consumer<@Nullable WaitReason> hold) {
        this.hold = hold;
    }

    synchronized void set(WaitReason reason, boolean holds) {
        if (holds) {
            reasons.add(reason);
        } else {
            reasons.remove(reason);
        }
        WaitReason first = first();
        if (first != told) {
            told = first;
            hold.accept(first);
        }
    }

    /** Of several that which nothing else could help: without a worker, memory is of no use. */
    @GuardedBy("this")
    private @Nullable WaitReason first() {
        if (reasons.contains(WaitReason.WORKERS)) {
            return WaitReason.WORKERS;
        }
        return reasons.stream().findFirst().orElse(null);
    }
}
