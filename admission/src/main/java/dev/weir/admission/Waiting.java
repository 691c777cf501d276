package dev.weir.admission;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** All waiters, by id and by deadline. Guarded by the controller's lock. */
final class Waiting {

    /** Overflow of the clock is harmless: deadlines are compared by their difference. */
    private static final Comparator<Waiter> BY_DEADLINE = (left, right) -> {
        long difference = left.deadlineNanos - right.deadlineNanos;
        return difference == 0 ? Long.compare(left.sequence, right.sequence) : Long.signum(difference);
    };

    private final NavigableSet<Waiter> deadlines = new TreeSet<>(BY_DEADLINE);
    private final Map<String, Waiter> byId = new HashMap<>();

    void add(Waiter waiter) {
        deadlines.add(waiter);
        byId.put(waiter.request.queryId(), waiter);
    }

    void remove(Waiter waiter) {
        deadlines.remove(waiter);
        byId.remove(waiter.request.queryId(), waiter);
    }

    @Nullable
    Waiter find(String queryId) {
        return byId.get(queryId);
    }

    /** All of them, the one whose time runs out first at the beginning. */
    Collection<Waiter> all() {
        return deadlines;
    }

    /** The waiter whose time runs out first. */
    @Nullable
    Waiter earliest() {
        return deadlines.isEmpty() ? null : deadlines.first();
    }
}
