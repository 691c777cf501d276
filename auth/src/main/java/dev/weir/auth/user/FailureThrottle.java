package dev.weir.auth.user;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Bounds guessing: for each user name, 10 wrong passwords at once and one more every 6 seconds. Every check takes a
 * token beforehand and gives it back when the password was right, so a name can never have more than 10 checks in the
 * queue either. Answers from the cache take none: whoever has signed in is not locked out by others' guesses.
 *
 * <p>Thread-safe. Names are counted whether or not they exist.
 */
final class FailureThrottle {

    static final int BURST = 10;
    static final Duration REFILL = Duration.ofSeconds(6);

    private static final int MAX_NAMES = 10_000;

    private final LongSupplier nanoTime;
    private final Cache<String, Bucket> buckets;

    FailureThrottle(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.buckets = Caffeine.newBuilder()
                .maximumSize(MAX_NAMES)
                .expireAfterAccess(REFILL.multipliedBy(BURST))
                .ticker(nanoTime::getAsLong)
                .build();
    }

    /** Whether a check may be made now; then {@link #giveBack} must follow if it succeeds or is not made. */
    boolean tryTake(String user) {
        return bucket(user).tryTake(nanoTime.getAsLong());
    }

    void giveBack(String user) {
        bucket(user).giveBack();
    }

    private Bucket bucket(String user) {
        return buckets.get(user, name -> new Bucket(nanoTime.getAsLong()));
    }

    /** Tokens of one name. */
    private static final class Bucket {

        @GuardedBy("this")
        private int tokens = BURST;

        @GuardedBy("this")
        private long refilledAt;

        Bucket(long now) {
            this.refilledAt = now;
        }

        synchronized boolean tryTake(long now) {
            long due = (now - refilledAt) / REFILL.toNanos();
            if (due > 0) {
                tokens = (int) Math.min(BURST, tokens + due);
                refilledAt += due * REFILL.toNanos();
            }
            if (tokens == 0) {
                return false;
            }
            tokens--;
            return true;
        }

        synchronized void giveBack() {
            tokens = Math.min(BURST, tokens + 1);
        }
    }
}
