package dev.weir.admission;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/** What run times teach, restated: every run is kept, every figure computed from all of them. */
final class ReferenceHistory {

    private final Map<Long, List<Long>> statements = new HashMap<>();
    private final Map<Long, List<Long>> peaks = new HashMap<>();
    private final Map<String, List<Long>> users = new HashMap<>();
    private final Map<String, List<Long>> groups = new HashMap<>();
    private final List<Long> all = new ArrayList<>();
    private final long shortNanos;

    ReferenceHistory(long shortNanos) {
        this.shortNanos = shortNanos;
    }

    QueryClass classify(AdmissionRequest request) {
        if (request.heavy()) {
            return QueryClass.HEAVY;
        }
        if (statements.containsKey(request.fingerprint())) {
            return quantile(statements.get(request.fingerprint()), 0.9) < shortNanos
                    ? QueryClass.SHORT
                    : QueryClass.HEAVY;
        }
        if (users.containsKey(request.user())) {
            return quantile(users.get(request.user()), 0.5) < shortNanos ? QueryClass.UNKNOWN : QueryClass.HEAVY;
        }
        return QueryClass.UNKNOWN;
    }

    private static long quantile(List<Long> runs, double part) {
        List<Long> last = runs.subList(Math.max(0, runs.size() - 16), runs.size()).stream()
                .sorted()
                .toList();
        return last.get((int) Math.ceil(part * last.size()) - 1);
    }

    /** Of the statement, else of the user, else of the group, else of all, else a second. */
    double expected(long fingerprint, String user, String group) {
        return statements.containsKey(fingerprint) ? mean(statements.get(fingerprint)) : expected(user, group);
    }

    private double expected(String user, String group) {
        return users.containsKey(user) ? mean(users.get(user)) : expected(group);
    }

    private double expected(String group) {
        return groups.containsKey(group) ? mean(groups.get(group)) : expected();
    }

    private double expected() {
        return all.isEmpty() ? 1e9 : mean(all);
    }

    private static double mean(List<Long> runs) {
        double mean = 0;
        for (int i = 0; i < runs.size(); i++) {
            mean += Math.max(1.0 / (i + 1), 0.1) * (runs.get(i) - mean);
        }
        return mean;
    }

    /** Of a statement that is known. */
    void recordPeak(long fingerprint, long bytes) {
        if (bytes > 0 && statements.containsKey(fingerprint)) {
            peaks.computeIfAbsent(fingerprint, key -> new ArrayList<>()).add(bytes);
        }
    }

    /** Three peaks are needed; half as much again as the largest of the last 16, at least 64 MiB. */
    OptionalLong learnedBytes(long fingerprint) {
        List<Long> known = peaks.getOrDefault(fingerprint, List.of());
        return known.size() < 3
                ? OptionalLong.empty()
                : known.subList(Math.max(0, known.size() - 16), known.size()).stream()
                        .mapToLong(peak -> Math.max(64 * 1024 * 1024, peak + peak / 2))
                        .max();
    }

    /** A run that was cut short says no more than "at least". */
    void record(AdmissionRequest request, String group, boolean whole, long nanos) {
        boolean ofStatement = whole || nanos > expected(request.fingerprint(), request.user(), group);
        boolean ofUser = whole || nanos > expected(request.user(), group);
        boolean ofGroup = whole || nanos > expected(group);
        boolean ofAll = whole || nanos > expected();
        if (ofStatement) {
            statements
                    .computeIfAbsent(request.fingerprint(), key -> new ArrayList<>())
                    .add(nanos);
        }
        if (ofUser) {
            users.computeIfAbsent(request.user(), key -> new ArrayList<>()).add(nanos);
        }
        if (ofGroup) {
            groups.computeIfAbsent(group, key -> new ArrayList<>()).add(nanos);
        }
        if (ofAll) {
            all.add(nanos);
        }
    }
}
