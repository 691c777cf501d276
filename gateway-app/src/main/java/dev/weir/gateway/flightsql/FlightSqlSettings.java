package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.BufferCompression;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the front listens and what it holds at most.
 *
 * @param address address to listen on; empty for all
 * @param port TCP port; 0 takes a free one
 * @param tls key material; null serves plaintext
 * @param maxMessageBytes largest gRPC message
 * @param maxHeaderBytes largest request headers
 * @param ticketTimeToLive how long a ticket can be redeemed
 * @param pollTimeout a polled query waits this long in the queue while its client stays away
 * @param claimTimeout a polled query that was granted keeps its permit this long while its client stays away
 * @param maxPreparedStatements open prepared statements of one user
 * @param preparedStatementTimeToLive an unused prepared statement is closed after this
 * @param sessionTimeToLive an unused session is closed after this
 * @param partitions endpoints of a result whose client does not say how many
 * @param maxPartitions most endpoints of a result
 * @param compression of the results of clients that do not ask for one
 * @param clientStallTimeout an upload that sends nothing for this long is ended
 */
public record FlightSqlSettings(
        String address,
        int port,
        @Nullable FlightTls tls,
        int maxMessageBytes,
        int maxHeaderBytes,
        Duration ticketTimeToLive,
        Duration pollTimeout,
        Duration claimTimeout,
        int maxPreparedStatements,
        Duration preparedStatementTimeToLive,
        Duration sessionTimeToLive,
        int partitions,
        int maxPartitions,
        BufferCompression compression,
        Duration clientStallTimeout) {

    /** Parameters of all users that are held at once, in uploads under way and bound to prepared statements. */
    static final long PARAMETER_BUDGET_BYTES = 64L << 20;

    /** Largest parameter payload of one DoPut. */
    static final int MAX_PARAMETER_BYTES = 16 << 20;

    /** Most parameter rows in one DoPut: each becomes objects on the heap. */
    static final int MAX_PARAMETER_ROWS = 100_000;

    /** Most parameter values in one DoPut, those in lists counted one by one. */
    static final int MAX_PARAMETER_VALUES = 2_000_000;

    /** Most text in the open prepared statements of one user, in characters: 16 of the longest statements. */
    static final long MAX_PREPARED_CHARACTERS = 16L << 20;

    /** Longest wait for the check of credentials. */
    static final Duration AUTHENTICATION_TIMEOUT = Duration.ofSeconds(15);
}
