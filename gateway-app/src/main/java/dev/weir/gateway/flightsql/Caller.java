package dev.weir.gateway.flightsql;

import dev.weir.auth.Identity;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.Context;
import org.jspecify.annotations.Nullable;

/**
 * Who makes the call under way, and what came with it.
 *
 * @param identity authenticated
 * @param session where the call's session is found
 * @param options limits asked for in the call's headers
 * @param call the call's own state
 */
record Caller(Identity identity, SessionRef session, RequestOptions options, CallState call) {

    private static final Context.Key<Caller> KEY = Context.key("weir-caller");
    private static final Context.Key<CallState> CALL = Context.key("weir-call");

    /**
     * The keys under which a call's session may be known.
     *
     * @param cookie the session cookie that the client sent
     * @param bearer a hash of the bearer that the client sent, or is given in this call's answer
     * @param shown whether the client sent that bearer, and so will send it again
     */
    record SessionRef(@Nullable String cookie, @Nullable String bearer, boolean shown) {

        /** Whether a session that is opened for this call will be found by the next. */
        boolean isLasting() {
            return shown || cookie != null;
        }
    }

    /** The context in which an authenticated call runs. */
    static Context in(Context context, Caller caller) {
        return context.withValues(KEY, caller, CALL, caller.call());
    }

    /** The context of a handshake that brought no credentials in its headers. */
    static Context anonymous(Context context, CallState call) {
        return context.withValue(CALL, call);
    }

    /** The current call's caller; null in a handshake that brought no credentials in its headers. */
    static @Nullable Caller currentOrNull() {
        return KEY.get();
    }

    /** The current call's caller. */
    static Caller current() {
        Caller caller = KEY.get();
        if (caller == null) {
            throw new GatewayException(GatewayErrorCode.UNAUTHENTICATED, "The call carries no credentials.");
        }
        return caller;
    }

    String user() {
        return identity.user();
    }
}
