package dev.weir.gateway.query;

import org.jspecify.annotations.Nullable;

/**
 * How a query ends; decided once, before the engine has stopped.
 *
 * @param state the terminal state it will reach
 * @param failure what its client sees; null when it finished
 * @param cancelReason set when it was cancelled
 */
record Ending(
        QueryState state,
        @Nullable GatewayException failure,
        @Nullable CancelReason cancelReason) {

    static final Ending FINISHED = new Ending(QueryState.FINISHED, null, null);

    static Ending failed(GatewayException failure) {
        return new Ending(QueryState.FAILED, failure, null);
    }

    static Ending cancelled(CancelReason reason, String queryId) {
        String text = switch (reason) {
            case CLIENT_CANCEL -> "The query was cancelled by its user.";
            case CLIENT_GONE -> "The query was cancelled because its client went away.";
            case ADMIN -> "The query was cancelled by an administrator.";
            case DRAIN -> "The query was cancelled because the gateway is shutting down.";
        };
        GatewayException failure =
                new GatewayException(GatewayErrorCode.CANCELLED, text, ErrorDetails.NONE.withQueryId(queryId));
        return new Ending(QueryState.CANCELLED, failure, reason);
    }
}
