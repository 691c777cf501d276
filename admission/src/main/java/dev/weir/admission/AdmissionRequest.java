package dev.weir.admission;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * A query that asks to run.
 *
 * @param queryId unique within the gateway
 * @param user who asks
 * @param groups the user's groups; the first one that has limits of its own counts, else {@code default}
 * @param fingerprint of the normalised statement, for what is learned about its run time
 * @param memoryBytes the reservation asked for; empty for the default. At least 1, else
 *     an {@link IllegalArgumentException}; more than the maximum is refused
 * @param queueTimeout how long it may wait; capped by the configured one. Zero or less: run at once or be refused
 * @param priority among the user's own waiting queries
 * @param heavy declared to be no short query, whatever was learned
 */
public record AdmissionRequest(
        String queryId,
        String user,
        List<String> groups,
        long fingerprint,
        OptionalLong memoryBytes,
        Duration queueTimeout,
        Priority priority,
        boolean heavy) {

    public AdmissionRequest {
        groups = List.copyOf(groups);
        if (memoryBytes.isPresent() && memoryBytes.getAsLong() < 1) {
            throw new IllegalArgumentException("memory must be at least 1 byte");
        }
    }

    /** A request of normal priority without a hint. */
    public AdmissionRequest(
            String queryId,
            String user,
            List<String> groups,
            long fingerprint,
            OptionalLong memoryBytes,
            Duration queueTimeout) {
        this(queryId, user, groups, fingerprint, memoryBytes, queueTimeout, Priority.NORMAL, false);
    }
}
