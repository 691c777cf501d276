package dev.weir.gateway.query;

import java.time.Duration;

/**
 * The clocks of a query.
 *
 * @param queueTimeout longest wait, from submit to admit
 * @param statementTimeout longest run, from admit to the last batch delivered
 * @param clientStallTimeout a reader that takes less than one batch or 1 MiB in this time ends its query
 * @param describeTimeout longest time to describe a statement or to answer a catalog question
 */
public record QueryLimits(
        Duration queueTimeout, Duration statementTimeout, Duration clientStallTimeout, Duration describeTimeout) {}
