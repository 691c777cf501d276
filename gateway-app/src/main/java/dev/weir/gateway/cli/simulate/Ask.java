package dev.weir.gateway.cli.simulate;

import java.util.OptionalLong;

/**
 * What a trace sends: a query, as its client asks for it.
 *
 * @param user who asks
 * @param group the user's group, which need not have limits of its own
 * @param fingerprint of the statement, from which run times are learned
 * @param memoryBytes the reservation asked for; empty for the default
 * @param serviceNanos how long it will run, which no policy is told
 * @param heavy declared to be no short query
 */
record Ask(String user, String group, long fingerprint, OptionalLong memoryBytes, long serviceNanos, boolean heavy) {

    /** A query that nothing is declared of. */
    Ask(String user, String group, long fingerprint, OptionalLong memoryBytes, long serviceNanos) {
        this(user, group, fingerprint, memoryBytes, serviceNanos, false);
    }
}
