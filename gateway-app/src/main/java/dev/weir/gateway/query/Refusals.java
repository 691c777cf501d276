package dev.weir.gateway.query;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.Rejection;
import dev.weir.admission.WaitReason;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Turns admission's refusals and reasons into what clients see. */
final class Refusals {

    private Refusals() {}

    /**
     * What is in force for one user, to name limits with their values.
     *
     * @param limits of admission
     * @param group whose limits count for the user
     * @param highWater share of the machine's memory above which nothing is started
     */
    record InForce(AdmissionLimits limits, String group, double highWater) {

        static InForce of(LimitsSource source, List<String> groups) {
            AdmissionLimits limits = source.admission();
            String own = groups.stream()
                    .filter(limits.groups()::containsKey)
                    .findFirst()
                    .orElse(AdmissionLimits.DEFAULT_GROUP);
            return new InForce(limits, own, source.highWater());
        }
    }

    /**
     * @param inForce for the user; null for a lane beside the queue, whose limits have no names
     */
    static GatewayException of(Rejection rejection, @Nullable InForce inForce) {
        if (rejection instanceof Rejection.QueueFull full) {
            return queueFull(full);
        }
        if (rejection instanceof Rejection.QueueTimeout timeout) {
            return queueTimeout(timeout, inForce);
        }
        if (rejection instanceof Rejection.RateLimited limited) {
            return rateLimited(limited);
        }
        if (rejection instanceof Rejection.MemoryTooLarge memory) {
            return new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The query asks for " + memory.requestedBytes()
                            + " bytes of memory, more than " + memory.property() + " (" + memory.maxBytes()
                            + " bytes) allows; ask for less.",
                    ErrorDetails.ofLimit("query", memory.property(), memory.maxBytes() + " B"));
        }
        return new GatewayException(
                GatewayErrorCode.DRAINING,
                "The gateway is shutting down and takes no new queries; try another replica, or again later.",
                details(rejection, null, null));
    }

    /** The name of the limit behind a refusal, as the client is told it; without one, the code in lower case. */
    static String limitName(Rejection rejection, InForce inForce) {
        GatewayException refusal = of(rejection, inForce);
        ErrorDetails.Limit limit = refusal.details().limit();
        return limit == null ? refusal.code().name().toLowerCase(Locale.ROOT) : limit.name();
    }

    private static GatewayException queueFull(Rejection.QueueFull full) {
        Named named = new Named(scope(full.scope()), full.property());
        String whose = switch (full.scope()) {
            case GLOBAL -> "The queue is full: ";
            case GROUP -> "The queue of the group " + full.name() + " is full: ";
            case USER -> "Your queue is full: ";
        };
        return new GatewayException(
                full.scope() == Rejection.Scope.USER ? GatewayErrorCode.USER_LIMIT : GatewayErrorCode.QUEUE_FULL,
                whose + named.name() + " is " + full.maxQueued() + "; try again in " + seconds(full.retryAfter())
                        + " s.",
                details(full, limit(named, Integer.toString(full.maxQueued())), null));
    }

    private static GatewayException rateLimited(Rejection.RateLimited limited) {
        Named named = new Named(scope(limited.scope()), limited.property());
        String value = limited.rate().requests() + " in "
                + limited.rate().period().toMillis() + " ms, burst "
                + limited.rate().burst();
        String whose = switch (limited.scope()) {
            case GLOBAL -> "Queries come";
            case GROUP -> "The queries of the group " + limited.name() + " come";
            case USER -> "Your queries come";
        };
        return new GatewayException(
                GatewayErrorCode.RATE_LIMITED,
                whose + " faster than " + named.name() + " (" + value + ") allows; try again in "
                        + seconds(limited.retryAfter()) + " s.",
                details(limited, limit(named, value), null));
    }

    private static GatewayException queueTimeout(Rejection.QueueTimeout timeout, @Nullable InForce inForce) {
        long waited = timeout.queueTimeout().toMillis();
        ErrorDetails.Limit holding = inForce == null ? null : holding(timeout.limit(), inForce);
        ErrorDetails.Limit limit =
                holding == null ? new ErrorDetails.Limit("query", "queue-timeout", waited + " ms") : holding;
        String held = holding == null ? describe(timeout.limit()) : holding.name() + " (" + holding.value() + ")";
        String text = "The query waited " + waited + " ms (queue-timeout) and was not admitted; it was held by " + held
                + " at position " + timeout.position() + ". Try again in " + seconds(timeout.retryAfter()) + " s.";
        return new GatewayException(GatewayErrorCode.QUEUE_TIMEOUT, text, details(timeout, limit, timeout.position()));
    }

    /** The limit that holds a query; null when nothing does but its turn. */
    static ErrorDetails.@Nullable Limit holding(WaitReason reason, InForce inForce) {
        AdmissionLimits limits = inForce.limits();
        GroupLimits group = limits.group(inForce.group());
        return switch (reason) {
            case MAX_RUNNING -> new ErrorDetails.Limit("global", "max-running", Integer.toString(limits.maxRunning()));
            case GROUP_MAX_RUNNING -> group(inForce, "max-running", Integer.toString(group.maxRunning()));
            case USER_MAX_RUNNING ->
                new ErrorDetails.Limit(
                        "user",
                        limits.nameOf(inForce.group(), "user.max-running"),
                        Integer.toString(group.user().maxRunning()));
            case MEMORY -> new ErrorDetails.Limit("global", "memory.budget", limits.memoryBudgetBytes() + " B");
            case GROUP_MEMORY -> group(inForce, "memory.budget", group.memoryBudgetBytes() + " B");
            case HELD -> new ErrorDetails.Limit("global", "memory.high-water", Double.toString(inForce.highWater()));
            case WORKERS -> new ErrorDetails.Limit("global", "workers", "0 healthy");
            case ENGINE, TURN -> null;
        };
    }

    /** The name of the limit that holds a query, or that it waits for its turn. */
    static String reason(WaitReason reason, InForce inForce) {
        ErrorDetails.Limit limit = holding(reason, inForce);
        return limit == null ? describe(reason) : limit.name();
    }

    private static ErrorDetails.Limit group(InForce inForce, String property, String value) {
        return new ErrorDetails.Limit("group", "groups." + inForce.group() + "." + property, value);
    }

    private static String describe(WaitReason reason) {
        return switch (reason) {
            case MAX_RUNNING -> "max-running";
            case GROUP_MAX_RUNNING -> "the group's max-running";
            case USER_MAX_RUNNING -> "user.max-running";
            case MEMORY -> "memory.budget";
            case GROUP_MEMORY -> "the group's memory.budget";
            case HELD -> "memory.high-water";
            case WORKERS -> "workers";
            case ENGINE -> "the engine, which has no place free";
            case TURN -> "the queries ahead of it";
        };
    }

    /** A limit's name below {@code weir.admission}, at the node of the tree that sets it. */
    private record Named(String scope, String name) {}

    /** When to ask again says nothing about how long the query would have waited: that is told only where it was known. */
    private static ErrorDetails details(
            Rejection rejection, ErrorDetails.@Nullable Limit limit, @Nullable Integer position) {
        return new ErrorDetails(
                null,
                null,
                null,
                limit,
                rejection.retryAfter(),
                rejection.predictedWait().orElse(null),
                position,
                null,
                null);
    }

    private static ErrorDetails.Limit limit(Named named, String value) {
        return new ErrorDetails.Limit(named.scope(), named.name(), value);
    }

    private static String scope(Rejection.Scope scope) {
        return switch (scope) {
            case GLOBAL -> "global";
            case GROUP -> "group";
            case USER -> "user";
        };
    }

    static long seconds(Duration duration) {
        return Math.max(1, (duration.toMillis() + 999) / 1000);
    }
}
