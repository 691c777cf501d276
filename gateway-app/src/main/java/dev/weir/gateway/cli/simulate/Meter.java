package dev.weir.gateway.cli.simulate;

import dev.weir.admission.AdmissionLimits;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** Measures one run, from the end of the warm-up on. Not thread-safe. */
final class Meter {

    private final AdmissionLimits limits;
    private final long fromNanos;
    private final Map<String, Account> users = new TreeMap<>();
    private final Map<String, Account> groups = new TreeMap<>();
    private final Set<SimulatedQuery> running = new LinkedHashSet<>();
    private long reservedBytes;
    private long lastEndNanos;
    private double runningNanos;
    private double laneNanos;
    private double byteNanos;

    Meter(AdmissionLimits limits, long fromNanos) {
        this.limits = limits;
        this.fromNanos = fromNanos;
    }

    void timePasses(long from, long to, int inLane) {
        double nanos = to - Math.max(from, fromNanos);
        if (nanos > 0) {
            runningNanos += nanos * running.size();
            laneNanos += nanos * inLane;
            byteNanos += nanos * reservedBytes;
        }
    }

    void submitted(SimulatedQuery query) {
        accounts(query).forEach(account -> account.waiting++);
    }

    void granted(SimulatedQuery query) {
        running.add(query);
        reservedBytes += query.reservedBytes;
        for (Account account : accounts(query)) {
            account.waiting--;
            if (query.grantedNanos >= fromNanos) {
                account.waits.add(query.grantedNanos - query.submittedNanos);
            }
        }
    }

    void finished(SimulatedQuery query, long now) {
        running.remove(query);
        reservedBytes -= query.reservedBytes;
        lastEndNanos = now;
        charge(query, now);
    }

    void refused(SimulatedQuery query, long now) {
        lastEndNanos = now;
        for (Account account : accounts(query)) {
            account.waiting--;
            account.refused += now >= fromNanos ? 1 : 0;
        }
    }

    private void charge(SimulatedQuery query, long now) {
        double used = query.share * Math.max(0, now - Math.max(query.grantedNanos, fromNanos));
        accounts(query).forEach(account -> account.resourceNanos += used);
    }

    /** The user's and the group's. */
    private List<Account> accounts(SimulatedQuery query) {
        return List.of(
                Objects.requireNonNull(users.computeIfAbsent(query.ask.user(), user -> new Account(query.group))),
                Objects.requireNonNull(groups.computeIfAbsent(query.group, Account::new)));
    }

    /** Ends the measurement at the given moment, or with the last query. Called once. */
    PolicyReport report(PolicyKind kind, long endNanos) {
        long end = endNanos == Trace.UNTIL_DONE ? lastEndNanos : endNanos;
        running.forEach(query -> charge(query, end));
        users.values().removeIf(Account::isEmpty);
        groups.values().removeIf(Account::isEmpty);
        Account all = new Account("");
        groups.values().forEach(all::add);
        double measured = Math.max(0, end - fromNanos);
        double nanos = Math.max(1, measured);
        return new PolicyReport(
                kind,
                measured / 1e9,
                all.figures(""),
                figures(groups),
                figures(users),
                runningNanos / nanos,
                laneNanos / nanos,
                (runningNanos - laneNanos) / nanos / limits.maxRunning(),
                byteNanos / nanos / limits.memoryBudgetBytes(),
                jain(usersByDue()),
                jain(groups.values().stream().mapToDouble(group -> group.resourceNanos / weight(group))));
    }

    private double weight(Account account) {
        return limits.group(account.group).weight();
    }

    /** The users' resource time, each divided by what is due to the user: an equal part of what is due to the group. */
    private DoubleStream usersByDue() {
        Map<String, Long> members =
                users.values().stream().collect(Collectors.groupingBy(user -> user.group, Collectors.counting()));
        return users.values().stream()
                .mapToDouble(user -> user.resourceNanos * members.getOrDefault(user.group, 1L) / weight(user));
    }

    private static List<PolicyReport.Figures> figures(Map<String, Account> accounts) {
        List<PolicyReport.Figures> figures = new ArrayList<>();
        accounts.forEach((name, account) -> figures.add(account.figures(name)));
        return figures;
    }

    /** Jain's index: (sum of x)^2 / (n x sum of x^2); 1 for nothing at all. */
    static double jain(DoubleStream each) {
        double[] values = each.toArray();
        double sum = DoubleStream.of(values).sum();
        double squares = DoubleStream.of(values).map(value -> value * value).sum();
        return squares == 0 ? 1 : sum * sum / (values.length * squares);
    }

    /** What a user, a group or all had. */
    private static final class Account {

        final String group;
        final Waits waits = new Waits();
        long waiting;
        long refused;
        double resourceNanos;

        Account(String group) {
            this.group = group;
        }

        /** Whether it did nothing in the time measured. */
        boolean isEmpty() {
            return waits.size() == 0 && refused == 0 && waiting == 0 && resourceNanos == 0;
        }

        void add(Account other) {
            waits.addAll(other.waits);
            waiting += other.waiting;
            refused += other.refused;
            resourceNanos += other.resourceNanos;
        }

        PolicyReport.Figures figures(String name) {
            return new PolicyReport.Figures(
                    name, group, waits.size(), refused, waiting, waits.summary(), resourceNanos / 1e9);
        }
    }
}
