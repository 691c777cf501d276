package dev.weir.admission;

import dev.weir.admission.ReferenceQuery.State;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The limits, restated: each is a count over the queries there are. */
final class ReferenceRoom {

    AdmissionLimits limits;
    boolean held;

    /** The time; set by whoever lets it pass. */
    long now;

    /** Until when the engine is taken for full, and how many permits were closed since that were not granted on. */
    long fullUntil = Long.MIN_VALUE;

    int freed;
    private final List<ReferenceQuery> waiting;
    private final List<ReferenceQuery> permits;

    /** Looks at these lists, which others change. */
    ReferenceRoom(AdmissionLimits limits, List<ReferenceQuery> waiting, List<ReferenceQuery> permits) {
        this.limits = limits;
        this.waiting = waiting;
        this.permits = permits;
    }

    /** Of permits. */
    int count(Predicate<ReferenceQuery> which) {
        return (int) permits.stream().filter(which).count();
    }

    private int count(State state) {
        return count(query -> query.state == state);
    }

    private static Predicate<ReferenceQuery> of(String user) {
        return query -> query.user().equals(user);
    }

    private static Predicate<ReferenceQuery> in(String group) {
        return query -> query.group.equals(group);
    }

    private static Predicate<ReferenceQuery> is(State... states) {
        return query -> query.is(states);
    }

    /** Whoever has queries stays in their group; else it is the first of the user's groups that has limits. */
    String groupOf(AdmissionRequest request) {
        return Stream.concat(
                        Stream.concat(waiting.stream(), permits.stream())
                                .filter(of(request.user()))
                                .map(query -> query.group),
                        request.groups().stream().filter(limits.groups()::containsKey))
                .findFirst()
                .orElse(AdmissionLimits.DEFAULT_GROUP);
    }

    boolean isFree(Slots slots) {
        if (held || engineIsFull()) {
            return false;
        }
        return slots == Slots.ALL
                ? underRunningCap()
                : count(State.IN_LANE) < limits.shortLane()
                        && count(is(State.RUNS, State.IN_LANE)) < limits.maxRunning() + 2 * limits.shortLane();
    }

    boolean engineIsFull() {
        return now < fullUntil && freed == 0;
    }

    boolean backsOff(ReferenceQuery query) {
        return now < query.notBefore;
    }

    /** Those left in a lane that was made smaller count among all. */
    boolean underRunningCap() {
        return count(State.RUNS) + Math.max(0, count(State.IN_LANE) - limits.shortLane()) < limits.maxRunning();
    }

    boolean underUserCap(Slots slots, String user, String group) {
        return slots == Slots.ALL
                ? count(is(State.RUNS).and(of(user)))
                        < limits.group(group).user().maxRunning()
                : count(is(State.IN_LANE).and(of(user))) < laneByPart(2);
    }

    boolean underGroupCap(Slots slots, String group) {
        return slots == Slots.ALL
                ? count(is(State.RUNS).and(in(group))) < limits.group(group).maxRunning()
                : limits.groups().size() == 1
                        || count(is(State.IN_LANE).and(in(group))) < limits.shortLane() - limits.shortLane() / 4;
    }

    /** A part of the lane, at least one place. */
    int laneByPart(int divisor) {
        return Math.max(1, limits.shortLane() / divisor);
    }

    boolean mayOverrun() {
        return count(State.RUNS) < limits.maxRunning() + limits.shortLane();
    }

    boolean mayPause(ReferenceQuery query) {
        Predicate<ReferenceQuery> paused = is(State.PAUSED, State.RESUMING);
        return count(paused) < limits.maxPaused()
                && count(paused.and(of(query.user())))
                        < limits.group(query.group).user().maxPaused();
    }

    boolean canStart(ReferenceQuery query, Slots slots) {
        return canStart(query.user(), query.group, query.bytes, slots);
    }

    boolean canStart(String user, String group, long bytes, Slots slots) {
        return isFree(slots)
                && underUserCap(slots, user, group)
                && underGroupCap(slots, group)
                && fitsMemory(bytes, group);
    }

    boolean fitsMemory(long bytes) {
        return reserved(query -> true) + bytes <= limits.memoryBudgetBytes();
    }

    boolean fitsMemory(long bytes, String group) {
        return fitsMemory(bytes)
                && reserved(in(group)) + bytes <= limits.group(group).memoryBudgetBytes();
    }

    private long reserved(Predicate<ReferenceQuery> which) {
        return permits.stream().filter(which).mapToLong(query -> query.bytes).sum();
    }

    double share(long bytes) {
        return Math.max(1.0 / limits.maxRunning(), memoryShare(bytes));
    }

    double memoryShare(long bytes) {
        return (double) bytes / limits.memoryBudgetBytes();
    }

    @Nullable
    String queueFull(ReferenceQuery query, int more) {
        GroupLimits group = limits.group(query.group);
        if (queued(of(query.user())) + more > group.user().maxQueued()) {
            return "QueueFull USER";
        }
        if (group.maxQueued() < limits.maxQueued() && queued(in(query.group)) + more > group.maxQueued()) {
            return "QueueFull GROUP";
        }
        return waiting.size() + more > limits.maxQueued() ? "QueueFull GLOBAL" : null;
    }

    private int queued(Predicate<ReferenceQuery> which) {
        return (int) waiting.stream().filter(which).count();
    }

    WaitReason reason(ReferenceQuery query) {
        if (backsOff(query)) {
            return WaitReason.ENGINE;
        }
        if (!underUserCap(Slots.ALL, query.user(), query.group)) {
            return WaitReason.USER_MAX_RUNNING;
        }
        if (!underGroupCap(Slots.ALL, query.group) && limits.group(query.group).maxRunning() < limits.maxRunning()) {
            return WaitReason.GROUP_MAX_RUNNING;
        }
        if (held) {
            return WaitReason.HELD;
        }
        if (!underRunningCap()) {
            return WaitReason.MAX_RUNNING;
        }
        if (engineIsFull()) {
            return WaitReason.ENGINE;
        }
        if (!fitsMemory(query.bytes)) {
            return WaitReason.MEMORY;
        }
        return fitsMemory(query.bytes, query.group) ? WaitReason.TURN : WaitReason.GROUP_MEMORY;
    }

    AdmissionSnapshot snapshot(boolean draining) {
        Map<String, String> users = new TreeMap<>();
        Stream.concat(waiting.stream(), permits.stream()).forEach(query -> users.put(query.user(), query.group));
        List<AdmissionSnapshot.User> ofUsers = users.entrySet().stream()
                .map(user -> new AdmissionSnapshot.User(
                        user.getKey(),
                        user.getValue(),
                        count(is(State.RUNS, State.IN_LANE).and(of(user.getKey()))),
                        count(is(State.IN_LANE).and(of(user.getKey()))),
                        queued(of(user.getKey())),
                        count(is(State.PAUSED, State.RESUMING).and(of(user.getKey()))),
                        reserved(of(user.getKey()))))
                .toList();
        List<AdmissionSnapshot.Group> ofGroups = users.values().stream()
                .distinct()
                .sorted()
                .map(group -> new AdmissionSnapshot.Group(
                        group,
                        count(is(State.RUNS, State.IN_LANE).and(in(group))),
                        count(is(State.IN_LANE).and(in(group))),
                        queued(in(group)),
                        count(is(State.PAUSED, State.RESUMING).and(in(group))),
                        reserved(in(group))))
                .toList();
        return new AdmissionSnapshot(
                limits,
                count(is(State.RUNS, State.IN_LANE)),
                count(State.IN_LANE),
                waiting.size(),
                count(is(State.PAUSED, State.RESUMING)),
                reserved(query -> true),
                ofGroups,
                ofUsers,
                reasons(),
                held,
                draining);
    }

    /** By the reason of the first of each user, in each order of turns: those behind it wait for that. */
    private Map<WaitReason, Integer> reasons() {
        Map<String, List<ReferenceQuery>> lines = new HashMap<>();
        waiting.forEach(query -> lines.computeIfAbsent(query.slots + query.user(), key -> new ArrayList<>())
                .add(query));
        Map<WaitReason, Integer> reasons = new HashMap<>();
        lines.values()
                .forEach(line -> reasons.merge(
                        reason(line.stream().min(ReferenceWalk.WITHIN_USER).orElseThrow()), line.size(), Integer::sum));
        return reasons;
    }
}
