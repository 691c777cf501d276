package dev.weir.gateway.query;

import java.time.Duration;

/** What sessions refuse, in words. */
final class SessionProblems {

    private SessionProblems() {}

    static GatewayException conflict(String message) {
        return new GatewayException(GatewayErrorCode.CONFLICT, message);
    }

    static GatewayException closed() {
        return conflict("The session is closed.");
    }

    static GatewayException unknown() {
        return new GatewayException(
                GatewayErrorCode.NOT_FOUND, "There is no such session; it was closed, or expired unused.");
    }

    static GatewayException otherRole() {
        return conflict("Your role has changed; what the session held (its transaction, which was rolled back, and its"
                + " temporary objects) is gone.");
    }

    static GatewayException idle(Duration timeout) {
        String limit = timeout.toMillis() + " ms";
        return new GatewayException(
                GatewayErrorCode.CONFLICT,
                "The transaction was idle for longer than weir.session.idle-in-transaction-timeout (" + limit
                        + ") and was rolled back; end it, and begin another.",
                ErrorDetails.ofLimit("session", "session.idle-in-transaction-timeout", limit));
    }
}
