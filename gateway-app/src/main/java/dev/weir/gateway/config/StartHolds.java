package dev.weir.gateway.config;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Consumer;

/** Why nothing is started now; any reason holds. Thread-safe. */
final class StartHolds {

    /** The reasons. */
    enum Reason {
        /** The machine's memory is short. */
        MEMORY,
        /** The engine can carry nothing. */
        CAPACITY
    }

    private final Consumer<Boolean> hold;

    @GuardedBy("this")
    private final Set<Reason> reasons = EnumSet.noneOf(Reason.class);

    /** @param hold told true when nothing may be started, and false again; must not block */
    StartHolds(Consumer<Boolean> hold) {
        this.hold = hold;
    }

    synchronized void set(Reason reason, boolean holds) {
        boolean before = !reasons.isEmpty();
        if (holds) {
            reasons.add(reason);
        } else {
            reasons.remove(reason);
        }
        if (before == reasons.isEmpty()) {
            hold.accept(!before);
        }
    }
}
