package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.OutOfMemoryException;
import org.jspecify.annotations.Nullable;

/**
 * A DoPut that loads rows: hands each message on as it comes, and asks the transport for the next when there is room, so
 * that a client is as fast as the engine.
 *
 * <p>After a refusal the rest is read and thrown away until the client ends its stream or goes quiet, since some clients
 * find the answer only then.
 */
final class UploadCall {

    private static final long MAX_DRAINED_BYTES = 256L << 20;
    private static final long DRAIN_QUIET_MILLIS = 250;

    private final ServerCallStreamObserver<Flight.PutResult> client;
    private final IngestInlet inlet;
    private final Runnable atQuery;
    private final ScheduledExecutorService scheduler;

    private volatile long lastMessageNanos = System.nanoTime();
    private boolean known;
    private boolean clientDone;
    private boolean answered;
    private long drainedBytes;
    private @Nullable Throwable refusal;
    private @Nullable ScheduledFuture<?> quietCheck;

    /** @param atQuery told once, when the query has begun */
    UploadCall(
            ServerCallStreamObserver<Flight.PutResult> client,
            IngestInlet inlet,
            ScheduledExecutorService scheduler,
            Runnable atQuery) {
        this.client = client;
        this.inlet = inlet;
        this.scheduler = scheduler;
        this.atQuery = atQuery;
        inlet.onRoom(() -> client.request(1));
        var unused = inlet.rows().whenComplete((rows, failure) -> {
            if (failure != null) {
                refuse(failure);
            } else {
                answer(rows);
            }
        });
    }

    /** Takes the message over. */
    void onNext(PutMessage message) {
        lastMessageNanos = System.nanoTime();
        try (message) {
            if (isRefused()) {
                drain(message.bytes());
                return;
            }
            if (message.hasData()) {
                put(message);
            }
        } catch (OutOfMemoryException e) {
            inlet.fail(new GatewayException(
                    GatewayErrorCode.RATE_LIMITED,
                    "The gateway holds as many bytes of uploads as it may; try again later.",
                    ErrorDetails.NONE));
        } catch (RuntimeException e) {
            // The inlet has failed with it, which is told by its rows.
            refuse(e);
        }
        if (inlet.hasRoom() || isRefused()) {
            client.request(1);
        }
    }

    private void put(PutMessage message) {
        ArrowBuf body = message.body(inlet.allocator());
        inlet.add(message.header(), body);
        if (!known) {
            known = true;
            atQuery.run();
        }
    }

    void onCompleted() {
        Throwable refused;
        synchronized (this) {
            clientDone = true;
            refused = refusal;
        }
        if (refused != null) {
            fail(refused);
        } else {
            inlet.end();
        }
    }

    /** The client has left. */
    void gone(CancelReason reason) {
        claim();
        inlet.abandon(reason);
    }

    private synchronized boolean isRefused() {
        return refusal != null;
    }

    private void drain(long bytes) {
        drainedBytes += bytes;
        Throwable refused;
        synchronized (this) {
            refused = refusal;
        }
        if (refused != null && drainedBytes > MAX_DRAINED_BYTES) {
            fail(refused);
        } else {
            client.request(1);
        }
    }

    /** Answers when the client has sent everything, or goes quiet. */
    private void refuse(Throwable failure) {
        synchronized (this) {
            if (refusal != null || answered) {
                return;
            }
            refusal = failure;
            if (!clientDone) {
                quietCheck = scheduler.scheduleWithFixedDelay(
                        () -> {
                            long quiet = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastMessageNanos);
                            if (quiet >= DRAIN_QUIET_MILLIS) {
                                fail(failure);
                            }
                        },
                        DRAIN_QUIET_MILLIS,
                        DRAIN_QUIET_MILLIS / 4,
                        TimeUnit.MILLISECONDS);
                return;
            }
        }
        fail(failure);
    }

    private void answer(long rows) {
        if (claim()) {
            client.onNext(Flight.PutResult.newBuilder()
                    .setAppMetadata(FlightSql.DoPutUpdateResult.newBuilder()
                            .setRecordCount(rows)
                            .build()
                            .toByteString())
                    .build());
            client.onCompleted();
        }
    }

    private void fail(Throwable failure) {
        if (claim()) {
            client.onError(FlightErrors.toStatus(failure));
        }
    }

    private synchronized boolean claim() {
        if (quietCheck != null) {
            quietCheck.cancel(false);
        }
        boolean first = !answered;
        answered = true;
        return first;
    }
}
