package dev.weir.admission;

import java.time.Duration;

/**
 * How often queries may be submitted: a bucket that holds {@code burst} of them and is refilled evenly, {@code requests}
 * in each {@code period}. Immutable; a value out of range is an {@link IllegalArgumentException} whose message starts
 * with the property's name.
 *
 * @param requests per period, at least 1
 * @param period positive, at most a day
 * @param burst queries that may come at once after a pause, at least 1
 */
public record RateLimit(long requests, Duration period, long burst) {

    private static final Duration LONGEST_PERIOD = Duration.ofDays(1);

    private static final long MOST = 1_000_000_000;

    public RateLimit {
        require(requests >= 1 && requests <= MOST, "rate.requests must be 1 to " + MOST);
        require(
                !period.isNegative() && !period.isZero() && period.compareTo(LONGEST_PERIOD) <= 0,
                "rate.period must be positive and at most a day");
        require(burst >= 1 && burst <= MOST, "rate.burst must be 1 to " + MOST);
    }

    private static void require(boolean holds, String message) {
        if (!holds) {
            throw new IllegalArgumentException(message);
        }
    }
}
