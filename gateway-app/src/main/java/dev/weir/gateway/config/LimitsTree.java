package dev.weir.gateway.config;

import dev.weir.admission.GroupLimits;
import dev.weir.admission.RateLimit;
import dev.weir.admission.UserLimits;
import dev.weir.gateway.query.QueryLimits;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/**
 * Makes the limits of groups and users from what was given for them and for all. A value that makes no sense is an
 * {@link IllegalArgumentException} whose message starts with its property, below {@code weir.admission}.
 */
final class LimitsTree {

    private static final Duration DEFAULT_PERIOD = Duration.ofSeconds(1);

    private final WeirProperties.Admission all;
    private final int maxRunning;
    private final int maxPaused;
    private final long budget;
    private final long maxPerQuery;
    private final long perQuery;

    /**
     * @param maxRunning of all, its default filled in
     * @param shortLane likewise
     * @param maxPaused likewise
     * @param budget likewise, in bytes
     */
    LimitsTree(WeirProperties.Admission all, int maxRunning, int shortLane, int maxPaused, long budget) {
        this.all = all;
        this.maxRunning = maxRunning;
        this.maxPaused = maxPaused;
        this.budget = budget;
        this.maxPerQuery = bytes(all.memory().maxPerQuery(), budget);
        // Queries in the lane reserve a quarter each, and up to twice the lane may run: so all fit at once.
        long parts = Math.max(1, maxRunning) + (Math.max(0, shortLane) + 1L) / 2;
        this.perQuery = bytes(all.memory().perQuery(), Math.max(1, Math.min(maxPerQuery, budget / parts)));
    }

    /** Those that count for users without a group of their own. */
    GroupLimits everyone() {
        WeirProperties.Admission.User user = all.user();
        atMost("user.max-running", user.maxRunning(), "max-running", maxRunning);
        return new GroupLimits(
                maxRunning,
                all.maxQueued(),
                1,
                all.queueTimeout(),
                budget,
                perQuery,
                maxPerQuery,
                null,
                new UserLimits(userMaxRunning(), user.maxQueued(), userMaxPaused(), rate("user.", user.rate())));
    }

    QueryLimits.Clocks everyonesClocks() {
        return clocks("", all.queueTimeout(), all.statementTimeout(), all.clientStallTimeout());
    }

    /** What a group gives, and for the rest what holds for all, cut to what the group may have. */
    GroupLimits group(String name, WeirProperties.Admission.Group given) {
        String prefix = "groups." + name + ".";
        atMost(prefix + "max-running", given.maxRunning(), "max-running", maxRunning);
        int running = Objects.requireNonNullElse(given.maxRunning(), maxRunning);
        WeirProperties.Admission.GroupUser user = given.user();
        atMost(prefix + "user.max-running", user.maxRunning(), prefix + "max-running", running);
        long groupBudget = bytes(given.memory().budget(), budget);
        long groupMax = bytes(given.memory().maxPerQuery(), Math.min(maxPerQuery, groupBudget));
        long groupPerQuery = bytes(given.memory().perQuery(), Math.min(perQuery, groupMax));
        RateLimit userRate = isGiven(user.rate())
                ? rate(prefix + "user.", user.rate())
                : rate("user.", all.user().rate());
        RateLimit groupRate = rate(prefix, given.rate());
        int userRunning =
                Objects.requireNonNullElse(user.maxRunning(), Math.max(1, Math.min(userMaxRunning(), running)));
        try {
            return new GroupLimits(
                    running,
                    Objects.requireNonNullElse(given.maxQueued(), all.maxQueued()),
                    given.weight(),
                    Objects.requireNonNullElse(given.queueTimeout(), all.queueTimeout()),
                    groupBudget,
                    groupPerQuery,
                    groupMax,
                    groupRate,
                    new UserLimits(
                            userRunning,
                            Objects.requireNonNullElse(
                                    user.maxQueued(), all.user().maxQueued()),
                            Objects.requireNonNullElse(user.maxPaused(), userMaxPaused()),
                            userRate),
                    own(given, userRunning, groupMax));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + e.getMessage(), e);
        }
    }

    /** Names of the limits that are the group's own: given for it, or cut to what it may have. */
    private Set<String> own(WeirProperties.Admission.Group given, int userRunning, long groupMax) {
        WeirProperties.Admission.GroupUser user = given.user();
        WeirProperties.Admission.GroupMemory memory = given.memory();
        Set<String> own = new TreeSet<>();
        addIf(own, "max-running", given.maxRunning() != null);
        addIf(own, "max-queued", given.maxQueued() != null);
        addIf(own, "queue-timeout", given.queueTimeout() != null);
        addIf(own, "rate.requests", isGiven(given.rate()));
        addIf(own, "memory.budget", memory.budget() != null);
        addIf(own, "memory.per-query", memory.perQuery() != null);
        addIf(own, "memory.max-per-query", memory.maxPerQuery() != null || groupMax != maxPerQuery);
        addIf(own, "user.max-running", user.maxRunning() != null || userRunning != userMaxRunning());
        addIf(own, "user.max-queued", user.maxQueued() != null);
        addIf(own, "user.max-paused", user.maxPaused() != null);
        addIf(own, "user.rate.requests", isGiven(user.rate()));
        return own;
    }

    private static void addIf(Set<String> names, String name, boolean holds) {
        if (holds) {
            names.add(name);
        }
    }

    QueryLimits.Clocks clocks(String name, WeirProperties.Admission.Group given) {
        return clocks(
                "groups." + name + ".",
                Objects.requireNonNullElse(given.queueTimeout(), all.queueTimeout()),
                Objects.requireNonNullElse(given.statementTimeout(), all.statementTimeout()),
                Objects.requireNonNullElse(given.clientStallTimeout(), all.clientStallTimeout()));
    }

    private static QueryLimits.Clocks clocks(String prefix, Duration queue, Duration statement, Duration stall) {
        positive(prefix + "queue-timeout", queue);
        positive(prefix + "statement-timeout", statement);
        positive(prefix + "client-stall-timeout", stall);
        return new QueryLimits.Clocks(queue, statement, stall);
    }

    private int userMaxRunning() {
        return Objects.requireNonNullElse(all.user().maxRunning(), Math.max(1, maxRunning / 2));
    }

    private int userMaxPaused() {
        return Objects.requireNonNullElse(all.user().maxPaused(), Math.max(1, maxPaused / 4));
    }

    /**
     * @param prefix of its name, with a dot at the end, or empty
     * @return null when none is given
     */
    static @Nullable RateLimit rate(String prefix, WeirProperties.Admission.Rate given) {
        Long requests = given.requests();
        if (requests == null) {
            if (isGiven(given)) {
                throw new IllegalArgumentException(prefix + "rate.requests is missing");
            }
            return null;
        }
        try {
            return new RateLimit(
                    requests,
                    Objects.requireNonNullElse(given.period(), DEFAULT_PERIOD),
                    Objects.requireNonNullElse(given.burst(), requests));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(prefix + e.getMessage(), e);
        }
    }

    private static boolean isGiven(WeirProperties.Admission.Rate rate) {
        return rate.requests() != null || rate.period() != null || rate.burst() != null;
    }

    /** A cap above the one that holds it anyway is a mistake, where somebody wrote it down. */
    private static void atMost(String name, @Nullable Integer given, String capName, int cap) {
        if (given != null && given > cap && cap >= 1) {
            throw new IllegalArgumentException(name + " must be at most " + capName + " (" + cap + ")");
        }
    }

    static void positive(String name, Duration value) {
        if (value.isNegative() || value.isZero()) {
            throw new IllegalArgumentException(name + " must be positive");
        }
    }

    static long bytes(@Nullable DataSize given, long otherwise) {
        return given == null ? otherwise : given.toBytes();
    }
}
