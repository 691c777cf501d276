package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.concurrent.atomic.AtomicLong;

/** The bytes of parameters that all users together may have the gateway hold. Thread-safe. */
final class ByteBudget {

    private final long limit;
    private final AtomicLong held = new AtomicLong();

    ByteBudget(long limit) {
        this.limit = limit;
    }

    /**
     * @throws GatewayException RATE_LIMITED when fewer bytes are left; nothing is taken then
     */
    void take(long bytes) {
        if (held.addAndGet(bytes) > limit) {
            held.addAndGet(-bytes);
            throw new GatewayException(
                    GatewayErrorCode.RATE_LIMITED,
                    "The gateway holds as many bytes of parameters as it may; try again later.",
                    ErrorDetails.ofLimit("global", "parameter bytes", Long.toString(limit)));
        }
    }

    void giveBack(long bytes) {
        held.addAndGet(-bytes);
    }

    long held() {
        return held.get();
    }
}
