package dev.weir.gateway.query;

import java.time.Duration;

/**
 * Limits of sessions.
 *
 * @param idleInTransactionTimeout a transaction without a statement for this long is rolled back
 * @param maxPerUser open sessions of one user
 */
public record SessionLimits(Duration idleInTransactionTimeout, int maxPerUser) {

    /** Five minutes, and a hundred sessions. */
    public static final SessionLimits DEFAULT = new SessionLimits(Duration.ofMinutes(5), 100);

    public SessionLimits {
        if (idleInTransactionTimeout.isNegative() || idleInTransactionTimeout.isZero()) {
            throw new IllegalArgumentException("idle-in-transaction-timeout must be positive");
        }
        if (maxPerUser < 1) {
            throw new IllegalArgumentException("max-per-user must be at least 1");
        }
    }
}
