package dev.weir.admission;

import java.io.Serial;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known about run times: a mean that forgets, per statement, per user and over all. Bounded: the statement or
 * user not seen for longest is forgotten first.
 *
 * <p>Guarded by the controller's lock.
 */
final class RunTimeHistory {

    /** Statements and users remembered: at about 100 bytes an entry, 2 MB at most. */
    static final int MAX_ENTRIES = 10_000;

    /** Expected of a query before anything was measured. Any value does: it is corrected when the permit is closed. */
    static final double UNKNOWN_NANOS = 1e9;

    private final Map<Long, Mean> byFingerprint = new LeastRecentlyUsed<>();
    private final Map<String, Mean> byUser = new LeastRecentlyUsed<>();
    private final Mean overall = new Mean();

    /** Expected run time in nanoseconds: of the statement, else of the user's queries, else of all. */
    double expectedNanos(String user, long fingerprint) {
        Mean statement = byFingerprint.get(fingerprint);
        if (statement != null) {
            return statement.nanos;
        }
        return expectedNanos(user);
    }

    /** Expected run time of a query of this user, in nanoseconds. */
    double expectedNanos(String user) {
        @Nullable Mean ofUser = byUser.get(user);
        if (ofUser != null) {
            return ofUser.nanos;
        }
        return expectedNanos();
    }

    /** Statements and users remembered. */
    int size() {
        return byFingerprint.size() + byUser.size();
    }

    boolean isEmpty() {
        return overall.count == 0;
    }

    /** Learns from a permit that was closed. */
    void record(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
        boolean whole = outcome == RunPermit.Outcome.FINISHED;
        // A run cut short says only that the whole one takes at least as long.
        boolean tellsOfStatement = whole || heldNanos > expectedNanos(request.user(), request.fingerprint());
        boolean tellsOfUser = whole || heldNanos > expectedNanos(request.user());
        if (tellsOfStatement) {
            byFingerprint
                    .computeIfAbsent(request.fingerprint(), key -> new Mean())
                    .add(heldNanos);
        }
        if (tellsOfUser) {
            byUser.computeIfAbsent(request.user(), key -> new Mean()).add(heldNanos);
        }
        if (whole || heldNanos > expectedNanos()) {
            overall.add(heldNanos);
        }
    }

    /** Expected run time of a query of whomever, in nanoseconds. */
    double expectedNanos() {
        return isEmpty() ? UNKNOWN_NANOS : overall.nanos;
    }

    /** A mean in which the n-th last value weighs less and less. */
    private static final class Mean {

        /** About the last 20 runs count: enough to be steady, few enough to follow a change of the data. */
        private static final double LEAST_WEIGHT = 0.1;

        double nanos;
        int count;

        void add(long value) {
            count = Math.min(count + 1, Integer.MAX_VALUE - 1);
            nanos += Math.max(1.0 / count, LEAST_WEIGHT) * (value - nanos);
        }
    }

    private static final class LeastRecentlyUsed<K, V> extends LinkedHashMap<K, V> {

        @Serial
        private static final long serialVersionUID = 1L;

        LeastRecentlyUsed() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > MAX_ENTRIES;
        }
    }
}
