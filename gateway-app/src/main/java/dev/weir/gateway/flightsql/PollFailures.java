package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.time.Duration;

/** What polls, and readers of polled results, are told when there is none for them. */
final class PollFailures {

    private PollFailures() {}

    /**
     * @param open whether the result was there to be read
     * @param granted whether the query had its permit
     * @param writes whether it changes something: that may be committed once it was granted, read or not
     */
    static GatewayException absent(boolean open, boolean granted, boolean writes, FlightSqlSettings settings) {
        String name = open || granted ? "flight.claim-timeout" : "flight.poll-timeout";
        Duration allowed = open || granted ? settings.claimTimeout() : settings.pollTimeout();
        boolean mayBeCommitted = writes && (open || granted);
        return new GatewayException(
                mayBeCommitted ? GatewayErrorCode.OUTCOME_UNKNOWN : GatewayErrorCode.NOT_FOUND,
                "The query was cancelled: " + (open ? "nobody read its result" : "its client did not poll")
                        + " within weir." + name + " (" + allowed.toMillis() + " ms); "
                        + (mayBeCommitted ? "what it changed may have been committed." : "submit it again."),
                ErrorDetails.ofLimit("query", name, allowed.toMillis() + " ms"));
    }

    static GatewayException claimed() {
        return new GatewayException(
                GatewayErrorCode.CONFLICT,
                "The result of a polled query can be read once, and was claimed already; submit the query again.");
    }

    static GatewayException cancelled() {
        return new GatewayException(GatewayErrorCode.CANCELLED, "The query was cancelled.");
    }

    static GatewayException shuttingDown() {
        return new GatewayException(
                GatewayErrorCode.CANCELLED, "The query was cancelled because the gateway is shutting down.");
    }

    static GatewayException unknown() {
        return new GatewayException(
                GatewayErrorCode.NOT_FOUND,
                "There is no such query: it ended long ago, or another gateway took it, or this one before its restart;"
                        + " submit it again.");
    }
}
