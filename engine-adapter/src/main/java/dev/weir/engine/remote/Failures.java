package dev.weir.engine.remote;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import io.grpc.Status;
import java.net.ConnectException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** What this side of the connection finds wrong. */
final class Failures {

    private Failures() {}

    static EngineException cancelled() {
        return new EngineException(EngineFailure.CANCELLED, "The query was cancelled", "57014", -1, null);
    }

    static EngineException closed() {
        return unavailable("The engine is closed", null);
    }

    private static EngineException unavailable(String message, @Nullable Throwable cause) {
        return new EngineException(EngineFailure.UNAVAILABLE, message, "57P03", -1, cause);
    }

    /** Nothing was started. */
    static EngineException notReached(String worker, Status status) {
        String why = "does not answer";
        if (isRefusal(status)) {
            why = "refuses this gateway's secret";
        } else if (isTls(status.getCause())) {
            why = "cannot be trusted: no TLS connection with a certificate that is valid for it";
        }
        return unavailable("Worker " + worker + " " + why, status.asException());
    }

    /** Something may have been started. */
    static EngineException lost(String worker, Status status) {
        return new EngineException(
                EngineFailure.LOST,
                "The connection to worker " + worker + " was lost while the query ran",
                "08006",
                -1,
                status.asException());
    }

    /** Something was started, and ended without effect: only a whole upload is committed. */
    static EngineException uploadBroken(String worker, Status status) {
        return new EngineException(
                EngineFailure.UNAVAILABLE,
                "The connection to worker " + worker + " was lost during the upload; nothing of it was kept",
                "08006",
                -1,
                status.asException());
    }

    static EngineException broken(String worker, String what) {
        return new EngineException(
                EngineFailure.LOST, "Worker " + worker + " sent a wrong result: " + what, "08006", -1, null);
    }

    static EngineException internal(Throwable cause) {
        return new EngineException(EngineFailure.INTERNAL, "The worker's answer cannot be read", "XX000", -1, cause);
    }

    private static boolean isRefusal(Status status) {
        return status.getCode() == Status.Code.UNAUTHENTICATED;
    }

    /** Whether trying again is of no use. */
    static boolean isFinal(Status status) {
        return switch (status.getCode()) {
            case UNAUTHENTICATED, INVALID_ARGUMENT, UNIMPLEMENTED, RESOURCE_EXHAUSTED -> true;
            default -> false;
        };
    }

    /** Whether nobody listens at the worker's address: the process is gone, and with it what it held. */
    static boolean isConnectionRefused(Status status) {
        for (Throwable cause = status.getCause(); cause != null; cause = cause.getCause()) {
            // The same class tells of connections that time out and of networks that cannot be reached.
            if (cause instanceof ConnectException
                    && String.valueOf(cause.getMessage()).contains("Connection refused")) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTls(@Nullable Throwable thrown) {
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            if (cause instanceof SSLException) {
                return true;
            }
        }
        return false;
    }
}
