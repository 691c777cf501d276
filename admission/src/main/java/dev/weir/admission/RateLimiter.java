package dev.weir.admission;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.TimeMeter;
import io.github.bucket4j.TokensInheritanceStrategy;
import io.github.bucket4j.local.SynchronizationStrategy;
import java.io.Serial;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One bucket for all, one per group and one per user, where a rate is configured. Guarded by the controller's lock.
 */
final class RateLimiter {

    /** Users whose bucket is remembered; one seen longest ago starts with a full one again. */
    private static final int MAX_USERS = 10_000;

    private final NanoClock clock;
    private final Map<String, Metered> buckets = new HashMap<>();
    private final Map<String, Metered> users = new Users();

    RateLimiter(NanoClock clock) {
        this.clock = clock;
    }

    private record Metered(RateLimit rate, Bucket bucket) {}

    /**
     * Takes one query's token from each bucket, or from none.
     *
     * @param look only looks, and takes nothing
     * @return the refusal of the first that has none, nearest to the user
     */
    @Nullable
    Rejection take(String user, String group, AdmissionLimits limits, boolean look) {
        GroupLimits ofGroup = limits.group(group);
        Metered own = metered(users, user, ofGroup.user().rate());
        Metered shared = metered(buckets, "group " + group, ofGroup.rate());
        Metered all = metered(buckets, "global", limits.rate());
        Rejection refused = refusal(own, Rejection.Scope.USER, user, limits.nameOf(group, "user.rate.requests"));
        refused = refused != null
                ? refused
                : refusal(shared, Rejection.Scope.GROUP, group, "groups." + group + ".rate.requests");
        refused = refused != null ? refused : refusal(all, Rejection.Scope.GLOBAL, "", "rate.requests");
        if (refused == null && !look) {
            consume(own);
            consume(shared);
            consume(all);
        }
        return refused;
    }

    private static void consume(@Nullable Metered from) {
        if (from != null) {
            from.bucket().tryConsume(1);
        }
    }

    private static @Nullable Rejection refusal(
            @Nullable Metered from, Rejection.Scope scope, String name, String property) {
        if (from == null) {
            return null;
        }
        var probe = from.bucket().estimateAbilityToConsume(1);
        return probe.canBeConsumed()
                ? null
                : new Rejection.RateLimited(
                        scope, name, from.rate(), Duration.ofNanos(probe.getNanosToWaitForRefill()), property);
    }

    /** The bucket of a key; a changed rate keeps its filling, in proportion. */
    private @Nullable Metered metered(Map<String, Metered> among, String key, @Nullable RateLimit rate) {
        Metered known = among.get(key);
        if (rate == null) {
            among.remove(key);
            return null;
        }
        if (known != null && known.rate().equals(rate)) {
            return known;
        }
        Bucket bucket;
        if (known == null) {
            bucket = Bucket.builder()
                    .addLimit(limit -> limit.capacity(rate.burst()).refillGreedy(rate.requests(), rate.period()))
                    .withCustomTimePrecision(new Meter(clock))
                    .withSynchronizationStrategy(SynchronizationStrategy.NONE)
                    .build();
        } else {
            bucket = known.bucket();
            bucket.replaceConfiguration(
                    BucketConfiguration.builder()
                            .addLimit(
                                    limit -> limit.capacity(rate.burst()).refillGreedy(rate.requests(), rate.period()))
                            .build(),
                    TokensInheritanceStrategy.PROPORTIONALLY);
        }
        Metered made = new Metered(rate, bucket);
        among.put(key, made);
        return made;
    }

    private record Meter(NanoClock clock) implements TimeMeter {

        @Override
        public long currentTimeNanos() {
            return clock.nanoTime();
        }

        @Override
        public boolean isWallClockBased() {
            return false;
        }
    }

    private static final class Users extends LinkedHashMap<String, Metered> {

        @Serial
        private static final long serialVersionUID = 1L;

        Users() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Metered> eldest) {
            return size() > MAX_USERS;
        }
    }
}
