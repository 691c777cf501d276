package dev.weir.admission;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Limits with groups, a lane, rates and pauses, to be varied one by one; wide open but for the running cap. */
final class Tree {

    static final Duration SHORT = Duration.ofMillis(250);

    private final int maxRunning;
    private int shortLane;
    private int maxPaused = 100;
    private @Nullable RateLimit rate;
    private final Map<String, GroupLimits> groups = new HashMap<>();

    private Tree(int maxRunning) {
        this.maxRunning = maxRunning;
        groups.put(AdmissionLimits.DEFAULT_GROUP, open());
    }

    static Tree running(int maxRunning) {
        return new Tree(maxRunning);
    }

    private static GroupLimits open() {
        return new GroupLimits(
                1_000,
                1_000_000,
                1,
                Duration.ofDays(10),
                1_000_000,
                4,
                1_000_000,
                null,
                new UserLimits(1_000, 1_000_000, 100, null));
    }

    Tree lane(int places) {
        shortLane = places;
        return this;
    }

    Tree paused(int most) {
        maxPaused = most;
        return this;
    }

    Tree rate(RateLimit limit) {
        rate = limit;
        return this;
    }

    Tree group(String name, UnaryOperator<GroupLimits> change) {
        groups.put(name, change.apply(groups.getOrDefault(name, open())));
        return this;
    }

    static UnaryOperator<GroupLimits> weight(double weight) {
        return g -> new GroupLimits(
                g.maxRunning(),
                g.maxQueued(),
                weight,
                g.queueTimeout(),
                g.memoryBudgetBytes(),
                g.memoryPerQueryBytes(),
                g.memoryMaxPerQueryBytes(),
                g.rate(),
                g.user());
    }

    static UnaryOperator<GroupLimits> caps(int maxRunning, int maxQueued, int userRunning) {
        return g -> new GroupLimits(
                maxRunning,
                maxQueued,
                g.weight(),
                g.queueTimeout(),
                g.memoryBudgetBytes(),
                g.memoryPerQueryBytes(),
                g.memoryMaxPerQueryBytes(),
                g.rate(),
                new UserLimits(
                        userRunning, 1_000_000, g.user().maxPaused(), g.user().rate()));
    }

    static UnaryOperator<GroupLimits> memory(long budget, long perQuery) {
        return g -> new GroupLimits(
                g.maxRunning(),
                g.maxQueued(),
                g.weight(),
                g.queueTimeout(),
                budget,
                perQuery,
                budget,
                g.rate(),
                g.user());
    }

    static UnaryOperator<GroupLimits> rates(@Nullable RateLimit ofGroup, @Nullable RateLimit ofUser) {
        return g -> new GroupLimits(
                g.maxRunning(),
                g.maxQueued(),
                g.weight(),
                g.queueTimeout(),
                g.memoryBudgetBytes(),
                g.memoryPerQueryBytes(),
                g.memoryMaxPerQueryBytes(),
                ofGroup,
                new UserLimits(
                        g.user().maxRunning(), g.user().maxQueued(), g.user().maxPaused(), ofUser));
    }

    static UnaryOperator<GroupLimits> userPaused(int most) {
        return g -> new GroupLimits(
                g.maxRunning(),
                g.maxQueued(),
                g.weight(),
                g.queueTimeout(),
                g.memoryBudgetBytes(),
                g.memoryPerQueryBytes(),
                g.memoryMaxPerQueryBytes(),
                g.rate(),
                new UserLimits(g.user().maxRunning(), g.user().maxQueued(), most, null));
    }

    AdmissionLimits build() {
        return new AdmissionLimits(maxRunning, 1_000_000, shortLane, SHORT, maxPaused, 1_000_000, rate, groups);
    }
}
