package dev.weir.gateway.query;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a drain stands.
 *
 * @param draining whether new queries are refused
 * @param graceLeft until what runs is cancelled, zero when that has come; null unless draining
 * @param queries those that are not done, of all users, the oldest first
 */
public record DrainReport(boolean draining, @Nullable Duration graceLeft, List<QuerySnapshot> queries) {

    /** Whether nothing is left that a stop would break. */
    public boolean isDrained() {
        return draining && queries.isEmpty();
    }
}
