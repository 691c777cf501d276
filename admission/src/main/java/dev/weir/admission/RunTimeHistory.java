package dev.weir.admission;

import java.io.Serial;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What is known about run times: per statement, user, group, and over all. Bounded: whatever was not seen for longest is
 * forgotten first.
 *
 * <p>Guarded by the controller's lock.
 */
final class RunTimeHistory {

    /** Statements, and users, remembered: at about 250 bytes an entry (400 with peaks), 7 MB at most. */
    static final int MAX_ENTRIES = 10_000;

    /** Expected of a query before anything was measured. Any value does: it is corrected when the permit is closed. */
    static final double UNKNOWN_NANOS = 1e9;

    private final Map<Long, RunTimes> byFingerprint = new LeastRecentlyUsed<>();
    private final Map<String, RunTimes> byUser = new LeastRecentlyUsed<>();
    private final Map<String, RunTimes> byGroup = new LeastRecentlyUsed<>();
    private final RunTimes overall = new RunTimes();

    /** What a query is taken for, and from what that follows; without the latter nothing is known. */
    record Guess(QueryClass queryClass, @Nullable RunTimeStats from) {}

    /**
     * What a query is taken for. A known statement counts by its own runs. An unknown one is heavy if most queries of its
     * user are: who sends a new text each time is told by the user.
     *
     * @param shortNanos a run that takes less is short
     */
    Guess classify(AdmissionRequest request, long shortNanos) {
        if (request.heavy()) {
            return new Guess(QueryClass.HEAVY, null);
        }
        RunTimes statement = byFingerprint.get(request.fingerprint());
        if (statement != null) {
            return guess(
                    statement,
                    RunTimeStats.Scope.STATEMENT,
                    key(request.fingerprint()),
                    ofStatement(statement, shortNanos));
        }
        RunTimes user = byUser.get(request.user());
        if (user != null) {
            return guess(user, RunTimeStats.Scope.USER, request.user(), ofUser(user, shortNanos));
        }
        return new Guess(QueryClass.UNKNOWN, null);
    }

    private static Guess guess(RunTimes times, RunTimeStats.Scope scope, String key, QueryClass queryClass) {
        return new Guess(queryClass, times.stats(scope, key, queryClass));
    }

    private static QueryClass ofStatement(RunTimes times, long shortNanos) {
        return times.p90Nanos() < shortNanos ? QueryClass.SHORT : QueryClass.HEAVY;
    }

    private static QueryClass ofUser(RunTimes times, long shortNanos) {
        return times.p50Nanos() < shortNanos ? QueryClass.UNKNOWN : QueryClass.HEAVY;
    }

    private static String key(long fingerprint) {
        return String.format("%016x", fingerprint);
    }

    /** Expected run time in nanoseconds: of the statement, else of the user's queries, the group's, else of all. */
    double expectedNanos(String user, String group, long fingerprint) {
        RunTimes statement = byFingerprint.get(fingerprint);
        return statement != null ? statement.meanNanos() : expectedNanos(user, group);
    }

    /** Expected run time of a query of this user, in nanoseconds. */
    double expectedNanos(String user, String group) {
        RunTimes ofUser = byUser.get(user);
        return ofUser != null ? ofUser.meanNanos() : expectedNanos(group);
    }

    /** Expected run time of a query of this group, in nanoseconds. */
    double expectedNanos(String group) {
        RunTimes ofGroup = byGroup.get(group);
        return ofGroup != null ? ofGroup.meanNanos() : expectedNanos();
    }

    /** Expected run time of a query of whomever, in nanoseconds. */
    double expectedNanos() {
        return isEmpty() ? UNKNOWN_NANOS : overall.meanNanos();
    }

    /** Statements, users and groups remembered. */
    int size() {
        return byFingerprint.size() + byUser.size() + byGroup.size();
    }

    boolean isEmpty() {
        return overall.runs() == 0;
    }

    /** Learns from a permit that was closed. */
    void record(AdmissionRequest request, String group, RunPermit.Outcome outcome, long heldNanos) {
        boolean whole = outcome == RunPermit.Outcome.FINISHED;
        // A run cut short says only that the whole one takes at least as long.
        boolean tellsOfStatement = whole || heldNanos > expectedNanos(request.user(), group, request.fingerprint());
        boolean tellsOfUser = whole || heldNanos > expectedNanos(request.user(), group);
        boolean tellsOfGroup = whole || heldNanos > expectedNanos(group);
        boolean tellsOfAll = whole || heldNanos > expectedNanos();
        if (tellsOfStatement) {
            byFingerprint
                    .computeIfAbsent(request.fingerprint(), key -> new RunTimes())
                    .add(heldNanos);
        }
        if (tellsOfUser) {
            byUser.computeIfAbsent(request.user(), key -> new RunTimes()).add(heldNanos);
        }
        if (tellsOfGroup) {
            byGroup.computeIfAbsent(group, key -> new RunTimes()).add(heldNanos);
        }
        if (tellsOfAll) {
            overall.add(heldNanos);
        }
    }

    /** Learns the most memory that a run of a statement had; of one that is known. */
    void recordPeak(long fingerprint, long bytes) {
        RunTimes statement = bytes < 1 ? null : byFingerprint.get(fingerprint);
        if (statement != null) {
            statement.addPeak(bytes);
        }
    }

    /** What a run of this statement is given by what was measured, in bytes; empty when too little was. */
    OptionalLong learnedBytes(long fingerprint) {
        RunTimes statement = byFingerprint.get(fingerprint);
        return statement == null ? OptionalLong.empty() : statement.learnedBytes();
    }

    /** The entries seen last: groups, then users, then statements. */
    List<RunTimeStats> stats(int most, long shortNanos) {
        List<RunTimeStats> found = new ArrayList<>();
        latest(byGroup)
                .forEach((name, times) ->
                        found.add(times.stats(RunTimeStats.Scope.GROUP, name, ofUser(times, shortNanos))));
        latest(byUser)
                .forEach((name, times) ->
                        found.add(times.stats(RunTimeStats.Scope.USER, name, ofUser(times, shortNanos))));
        latest(byFingerprint)
                .forEach((fingerprint, times) -> found.add(
                        times.stats(RunTimeStats.Scope.STATEMENT, key(fingerprint), ofStatement(times, shortNanos))));
        return found.size() <= most ? found : interleaved(found, most);
    }

    /** Keeps some of each kind when not all fit. */
    private static List<RunTimeStats> interleaved(List<RunTimeStats> all, int most) {
        List<RunTimeStats> kept = new ArrayList<>();
        for (RunTimeStats.Scope scope : RunTimeStats.Scope.values()) {
            all.stream()
                    .filter(stats -> stats.scope() == scope)
                    .limit(Math.max(1, most / RunTimeStats.Scope.values().length))
                    .forEach(kept::add);
        }
        return kept.subList(0, Math.min(most, kept.size()));
    }

    /** A copy with the entry seen last first. */
    private static <K> Map<K, RunTimes> latest(Map<K, RunTimes> entries) {
        List<Map.Entry<K, RunTimes>> ordered = new ArrayList<>(entries.entrySet());
        Map<K, RunTimes> reversed = new LinkedHashMap<>();
        for (int i = ordered.size() - 1; i >= 0; i--) {
            reversed.put(ordered.get(i).getKey(), ordered.get(i).getValue());
        }
        return reversed;
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
