package dev.weir.gateway.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.publisher.BaseSubscriber;

/**
 * The body of a request on its way into an ingest: one piece at a time, the next when there is room. Thread-safe; what
 * was cut short by a full inlet goes on from the thread that made room.
 */
final class UploadBody extends BaseSubscriber<DataBuffer> {

    private final IngestInlet inlet;

    @GuardedBy("this")
    private final StreamFrames frames;

    @GuardedBy("this")
    private @Nullable DataBuffer rest;

    @GuardedBy("this")
    private boolean over;

    @GuardedBy("this")
    private boolean finished;

    private volatile boolean whole;

    UploadBody(IngestInlet inlet) {
        this.inlet = inlet;
        this.frames = new StreamFrames(inlet);
        inlet.onRoom(this::goOn);
    }

    /** Whether the client has sent its whole request. */
    boolean isWhole() {
        return whole;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
        subscription.request(1);
    }

    @Override
    protected void hookOnNext(DataBuffer buffer) {
        inlet.arriving(buffer.readableByteCount());
        synchronized (this) {
            if (over) {
                DataBufferUtils.release(buffer);
                return;
            }
            rest = buffer;
        }
        goOn();
    }

    /** Takes what there is room for, and asks for more when that was all. */
    private void goOn() {
        boolean more;
        try {
            more = takeRest();
        } catch (OutOfMemoryException e) {
            refuse(new GatewayException(
                    GatewayErrorCode.RATE_LIMITED,
                    "The gateway holds as many bytes of uploads as it may; try again later.",
                    ErrorDetails.NONE));
            return;
        } catch (GatewayException e) {
            refuse(e);
            return;
        } catch (RuntimeException e) {
            refuse(Problems.fault(e));
            return;
        }
        if (more && whole) {
            finish();
        } else if (more) {
            request(1);
        }
    }

    private synchronized boolean takeRest() {
        DataBuffer buffer = rest;
        if (buffer == null || over) {
            return false;
        }
        frames.take(buffer);
        if (buffer.readableByteCount() > 0) {
            return false;
        }
        rest = null;
        DataBufferUtils.release(buffer);
        return true;
    }

    private void refuse(GatewayException failure) {
        inlet.fail(failure);
        end();
    }

    /** Takes nothing more, and gives back what it has. Idempotent. */
    void end() {
        synchronized (this) {
            if (over) {
                return;
            }
            over = true;
            frames.close();
            if (rest != null) {
                DataBufferUtils.release(rest);
                rest = null;
            }
        }
        if (!whole) {
            cancel();
        }
    }

    /** May come while the last piece still waits for room. */
    @Override
    protected void hookOnComplete() {
        boolean all;
        synchronized (this) {
            whole = true;
            all = rest == null;
        }
        if (all) {
            finish();
        }
    }

    private void finish() {
        boolean ended;
        synchronized (this) {
            if (over || finished) {
                return;
            }
            finished = true;
            ended = frames.hasEnded();
        }
        if (ended) {
            inlet.end();
        } else {
            inlet.fail(new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The Arrow stream in the body has no end; it was cut short, or not closed by its writer."));
        }
    }

    @Override
    protected void hookOnError(Throwable thrown) {
        inlet.abandon(CancelReason.CLIENT_GONE);
    }
}
