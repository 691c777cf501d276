package dev.weir.admission;

import org.jspecify.annotations.Nullable;

/**
 * What each user of a group may have. Immutable; a value out of range is an {@link IllegalArgumentException} whose message
 * starts with the property's name.
 *
 * @param maxRunning queries that hold a slot at once, at least 1; those in the lane for short queries are not counted
 * @param maxQueued queries that wait at once, at least 0
 * @param maxPaused queries that may be paused at once, at least 0; beyond, a query keeps its slot while its reader pauses
 * @param rate queries that may be submitted; null for as many as one likes
 */
public record UserLimits(
        int maxRunning,
        int maxQueued,
        int maxPaused,
        @Nullable RateLimit rate) {

    public UserLimits {
        if (maxRunning < 1) {
            throw new IllegalArgumentException("user.max-running must be at least 1");
        }
        if (maxQueued < 0) {
            throw new IllegalArgumentException("user.max-queued must not be negative");
        }
        if (maxPaused < 0) {
            throw new IllegalArgumentException("user.max-paused must not be negative");
        }
    }
}
