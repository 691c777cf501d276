package dev.weir.gateway.query;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The clocks of queries. Immutable.
 *
 * @param describeTimeout longest time to describe a statement or to answer a catalog question
 * @param others of users whose groups have none of their own
 * @param groups by group
 */
public record QueryLimits(Duration describeTimeout, Clocks others, Map<String, Clocks> groups) {

    public QueryLimits {
        groups = Map.copyOf(groups);
    }

    /** The same clocks for everybody. */
    public QueryLimits(
            Duration queueTimeout, Duration statementTimeout, Duration clientStallTimeout, Duration describeTimeout) {
        this(describeTimeout, new Clocks(queueTimeout, statementTimeout, clientStallTimeout), Map.of());
    }

    /**
     * The clocks of one query.
     *
     * @param queueTimeout longest wait, from submit to admit
     * @param statementTimeout longest run, from admit to the last batch delivered
     * @param clientStallTimeout a reader that takes less than one batch or 1 MiB in this time ends its query
     */
    public record Clocks(Duration queueTimeout, Duration statementTimeout, Duration clientStallTimeout) {}

    /** The clocks of a user: those of the first of its groups that has its own, as admission chooses its limits. */
    Clocks of(List<String> userGroups) {
        for (String group : userGroups) {
            @Nullable Clocks own = groups.get(group);
            if (own != null) {
                return own;
            }
        }
        return others;
    }
}
