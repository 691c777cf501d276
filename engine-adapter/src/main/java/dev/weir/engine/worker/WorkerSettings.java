package dev.weir.engine.worker;

import java.time.Duration;
import java.util.function.LongSupplier;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/**
 * How a worker serves its engine.
 *
 * @param name for logs and reports
 * @param address to bind; empty for all
 * @param port TCP port, 0 for any free one
 * @param keys TLS key material; null for plaintext (loopback between parent and child only)
 * @param secret shared with its gateways, compared in constant time; at least 16 bytes
 * @param slots most queries at once; one more is refused with BUSY
 * @param memoryBytes most memory promised to them together; a query beyond is refused with BUSY
 * @param windowBytes most bytes of sent batches that are held for one query until its gateway has confirmed them
 * @param heartbeatTimeout a query whose gateway has not been heard of for this long is cancelled; also how long a broken
 *     stream may be resumed
 * @param limit what bounds one query's memory, for {@link dev.weir.engine.EngineNode#limit()}
 * @param peakMemory most memory of this process since it was asked last, in bytes; gives 0 where that is not measured
 */
public record WorkerSettings(
        String name,
        String address,
        int port,
        @Nullable KeyManager keys,
        byte[] secret,
        int slots,
        long memoryBytes,
        long windowBytes,
        Duration heartbeatTimeout,
        String limit,
        LongSupplier peakMemory) {

    /** Enough for several batches of 1 to 8 MB. */
    public static final long DEFAULT_WINDOW_BYTES = 32L << 20;

    /** A cancel of what nobody asks for any more within 10 s leaves some for the engine to stop. */
    public static final Duration DEFAULT_HEARTBEAT_TIMEOUT = Duration.ofSeconds(8);
}
