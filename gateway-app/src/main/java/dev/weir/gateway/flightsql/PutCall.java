package dev.weir.gateway.flightsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.MessageLite;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut: gathers the messages one by one, bounded, and runs the command at the client's end of stream.
 *
 * <p>An upload that is refused is read to its end, and thrown away, before the refusal is sent: clients look for the
 * answer only then. A client that goes quiet is answered after the stall timeout. No thread waits for either.
 */
final class PutCall implements StreamObserver<Flight.FlightData> {

    /** What a DoPut does with its parameters. */
    @FunctionalInterface
    interface Target {
        /** @return a stage that gives the result's metadata */
        CompletionStage<? extends MessageLite> accept(ParameterPayload payload);
    }

    /** Read and thrown away after a refusal; a client that sends more is answered at once. */
    private static final long MAX_DRAINED_BYTES = 256L << 20;

    private final ServerCallStreamObserver<Flight.PutResult> client;
    private final Function<Flight.FlightDescriptor, Target> opener;
    private final ByteBudget budget;
    private final long maxBytes;
    private final ScheduledFuture<?> stallCheck;
    private final long stallMillis;

    // Touched by the call's own thread only.
    private final List<Flight.FlightData> messages = new ArrayList<>();
    private @Nullable Target target;
    private @Nullable Throwable refusal;
    private long heldBytes;
    private long drainedBytes;

    private volatile long lastMessageNanos = System.nanoTime();
    private volatile boolean atEnd;

    @GuardedBy("this")
    private boolean answered;

    /**
     * @param opener finds the target of a descriptor, or throws to refuse it
     * @param maxBytes of parameters
     */
    PutCall(
            ServerCallStreamObserver<Flight.PutResult> client,
            Function<Flight.FlightDescriptor, Target> opener,
            ByteBudget budget,
            long maxBytes,
            ScheduledExecutorService scheduler,
            long stallMillis) {
        this.client = client;
        this.opener = opener;
        this.budget = budget;
        this.maxBytes = maxBytes;
        this.stallMillis = stallMillis;
        this.stallCheck = scheduler.scheduleWithFixedDelay(
                this::checkStall, stallMillis, Math.max(1, stallMillis / 4), TimeUnit.MILLISECONDS);
        client.disableAutoRequest();
        client.setOnCancelHandler(this::dropEverything);
        client.request(1);
    }

    @Override
    public void onNext(Flight.FlightData data) {
        lastMessageNanos = System.nanoTime();
        if (refusal == null) {
            try {
                gather(data);
            } catch (RuntimeException e) {
                refuse(e);
            }
        } else {
            drainedBytes += data.getSerializedSize();
            if (drainedBytes > MAX_DRAINED_BYTES) {
                fail(refusal);
                return;
            }
        }
        client.request(1);
    }

    private void gather(Flight.FlightData data) {
        if (data.hasFlightDescriptor() && target == null) {
            target = opener.apply(data.getFlightDescriptor());
        }
        if (target == null) {
            throw FlightErrors.invalidRequest("The first message of a DoPut must have a descriptor.");
        }
        long bytes = ParameterPayload.sizeOf(data);
        if (heldBytes + bytes > maxBytes) {
            throw new GatewayException(
                    GatewayErrorCode.TOO_LARGE,
                    "One execution takes at most " + maxBytes
                            + " bytes of parameters (weir.flight.max-inbound-message-size); send them in several.",
                    ErrorDetails.ofLimit("query", "flight.max-inbound-message-size", Long.toString(maxBytes)));
        }
        budget.take(bytes);
        heldBytes += bytes;
        messages.add(data.toBuilder().clearFlightDescriptor().build());
    }

    private void refuse(Throwable failure) {
        refusal = failure;
        release();
    }

    @Override
    public void onCompleted() {
        atEnd = true;
        stallCheck.cancel(false);
        Target chosen = target;
        if (refusal != null || chosen == null) {
            fail(
                    refusal != null
                            ? refusal
                            : FlightErrors.invalidRequest("The DoPut ended before its descriptor came."));
            return;
        }
        CompletionStage<? extends MessageLite> result;
        try {
            result = chosen.accept(new ParameterPayload(messages));
        } catch (RuntimeException e) {
            fail(e);
            return;
        } finally {
            release();
        }
        var unused = result.whenComplete((message, failure) -> {
            if (failure != null) {
                fail(failure);
            } else if (claimAnswer()) {
                client.onNext(Flight.PutResult.newBuilder()
                        .setAppMetadata(message.toByteString())
                        .build());
                client.onCompleted();
            }
        });
    }

    /** The client went away; what runs for it is cancelled by the call's end. */
    @Override
    public void onError(Throwable failure) {
        dropEverything();
    }

    private void dropEverything() {
        stallCheck.cancel(false);
        release();
    }

    private void release() {
        messages.clear();
        budget.giveBack(heldBytes);
        heldBytes = 0;
    }

    private void checkStall() {
        long quiet = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastMessageNanos);
        if (!atEnd && quiet >= stallMillis) {
            fail(new GatewayException(
                    GatewayErrorCode.CLIENT_STALLED,
                    "The upload sent nothing for " + stallMillis + " ms (weir.admission.client-stall-timeout)."));
        }
    }

    private void fail(Throwable failure) {
        if (claimAnswer()) {
            stallCheck.cancel(false);
            client.onError(FlightErrors.toStatus(failure));
        }
    }

    private synchronized boolean claimAnswer() {
        boolean first = !answered;
        answered = true;
        return first;
    }
}
