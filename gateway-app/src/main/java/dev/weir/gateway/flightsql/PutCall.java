package dev.weir.gateway.flightsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.MessageLite;
import dev.weir.gateway.query.CancelReason;
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
import java.util.function.Supplier;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One DoPut: gathers the messages one by one, bounded, and runs the command at the client's end of stream; a command
 * without parameters at once, since some clients wait for its answer before they end their stream.
 *
 * <p>An upload that is refused is read on, and thrown away, until the client ends it or goes quiet: some clients find
 * the answer only then. A client that goes quiet while it is expected to send is answered after the stall timeout. No
 * thread waits for either.
 */
final class PutCall implements StreamObserver<PutMessage> {

    /** What a DoPut does with its parameters. */
    interface Target {

        /** Whether parameters may follow the descriptor. */
        boolean takesParameters();

        /** Whether the parameters stay after a good end; they then count on for whoever keeps them. */
        boolean keepsParameters();

        /** @return a stage that gives the result's metadata */
        CompletionStage<? extends MessageLite> run(ParameterPayload payload);
    }

    /** What a DoPut is for. */
    interface Opener {

        /** @throws GatewayException to refuse the descriptor */
        Target target(Flight.FlightDescriptor descriptor);

        /** @return the upload's way in; null when the descriptor is for something else */
        @Nullable
        UploadCall upload(Flight.FlightDescriptor descriptor, ServerCallStreamObserver<Flight.PutResult> client);

        /** Why a query ends whose client has left. */
        CancelReason goneReason();
    }

    /** Read and thrown away after a refusal; a client that sends more is answered at once. */
    private static final long MAX_DRAINED_BYTES = 256L << 20;

    /** A refused upload that sends nothing for this long is answered. */
    private static final long DRAIN_QUIET_MILLIS = 250;

    private final ServerCallStreamObserver<Flight.PutResult> client;
    private final Opener opener;
    private final ByteBudget budget;
    private final long maxBytes;
    private final ScheduledExecutorService scheduler;
    private final long stallMillis;

    // Touched by the call's own thread only.
    private final List<Flight.FlightData> messages = new ArrayList<>();
    private @Nullable Target target;
    private volatile @Nullable UploadCall upload;
    private @Nullable Throwable refusal;
    private boolean running;
    private long heldBytes;
    private long drainedBytes;

    private volatile long lastMessageNanos = System.nanoTime();
    private volatile ScheduledFuture<?> quietCheck;

    @GuardedBy("this")
    private boolean answered;

    /**
     * @param opener finds what a descriptor is for
     * @param maxBytes of parameters
     */
    PutCall(
            ServerCallStreamObserver<Flight.PutResult> client,
            Opener opener,
            ByteBudget budget,
            long maxBytes,
            ScheduledExecutorService scheduler,
            long stallMillis) {
        this.client = client;
        this.opener = opener;
        this.budget = budget;
        this.maxBytes = maxBytes;
        this.scheduler = scheduler;
        this.stallMillis = stallMillis;
        this.quietCheck = whenQuietFor(
                stallMillis,
                () -> new GatewayException(
                        GatewayErrorCode.CLIENT_STALLED,
                        "The upload sent nothing for " + stallMillis + " ms (weir.admission.client-stall-timeout)."));
        client.disableAutoRequest();
        client.setOnCancelHandler(this::dropEverything);
        client.request(1);
    }

    @Override
    public void onNext(PutMessage message) {
        UploadCall loading = upload;
        if (loading != null) {
            loading.onNext(message);
            return;
        }
        try (message) {
            lastMessageNanos = System.nanoTime();
            if (refusal != null || running) {
                drain(message);
            } else if (!isUpload(message)) {
                gatherOrRefuse(message);
            }
        }
    }

    /** Hands the call over when its first message says that it loads rows. */
    private boolean isUpload(PutMessage message) {
        Flight.FlightDescriptor descriptor = message.descriptor();
        if (target != null || descriptor == null) {
            return false;
        }
        UploadCall loading;
        try {
            loading = opener.upload(descriptor, client);
        } catch (RuntimeException e) {
            refuse(e);
            client.request(1);
            return true;
        }
        if (loading == null) {
            return false;
        }
        synchronized (this) {
            answered = true;
        }
        quietCheck.cancel(false);
        upload = loading;
        loading.onNext(message);
        return true;
    }

    private void gatherOrRefuse(PutMessage message) {
        try {
            gather(message);
            if (target != null && !target.takesParameters()) {
                run(target);
            }
        } catch (RuntimeException e) {
            refuse(e);
        }
        client.request(1);
    }

    private void gather(PutMessage message) {
        if (target == null) {
            Flight.FlightDescriptor descriptor = message.descriptor();
            if (descriptor == null) {
                throw FlightErrors.invalidRequest("The first message of a DoPut must have a descriptor.");
            }
            target = opener.target(descriptor);
        }
        Flight.FlightData data = message.toFlightData();
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
        messages.add(data);
    }

    private void drain(PutMessage message) {
        drainedBytes += message.bytes();
        if (drainedBytes > MAX_DRAINED_BYTES && refusal != null) {
            fail(refusal);
        } else {
            client.request(1);
        }
    }

    private void refuse(Throwable failure) {
        refusal = failure;
        release();
        quietCheck.cancel(false);
        quietCheck = whenQuietFor(Math.min(DRAIN_QUIET_MILLIS, stallMillis), () -> failure);
    }

    @Override
    public void onCompleted() {
        UploadCall loading = upload;
        if (loading != null) {
            loading.onCompleted();
            return;
        }
        if (running) {
            return;
        }
        Target chosen = target;
        if (refusal != null) {
            fail(refusal);
        } else if (chosen == null) {
            fail(FlightErrors.invalidRequest("The DoPut ended before its descriptor came."));
        } else {
            run(chosen);
        }
    }

    private void run(Target chosen) {
        running = true;
        quietCheck.cancel(false);
        long held = heldBytes;
        heldBytes = 0;
        ParameterPayload payload = new ParameterPayload(messages);
        messages.clear();
        CompletionStage<? extends MessageLite> result;
        try {
            result = chosen.run(payload);
        } catch (RuntimeException e) {
            budget.giveBack(held);
            fail(e);
            return;
        }
        var unused = result.whenComplete((message, failure) -> {
            if (failure != null || !chosen.keepsParameters()) {
                budget.giveBack(held);
            }
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
        UploadCall loading = upload;
        if (loading != null) {
            loading.gone(opener.goneReason());
        }
        quietCheck.cancel(false);
        release();
    }

    private void release() {
        messages.clear();
        budget.giveBack(heldBytes);
        heldBytes = 0;
    }

    /** Answers with the failure once no message came for that long. */
    private ScheduledFuture<?> whenQuietFor(long millis, Supplier<Throwable> failure) {
        return scheduler.scheduleWithFixedDelay(
                () -> {
                    long quiet = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastMessageNanos);
                    if (quiet >= millis) {
                        fail(failure.get());
                    }
                },
                millis,
                Math.max(1, millis / 4),
                TimeUnit.MILLISECONDS);
    }

    private void fail(Throwable failure) {
        if (claimAnswer()) {
            client.onError(FlightErrors.toStatus(failure));
        }
    }

    private synchronized boolean claimAnswer() {
        quietCheck.cancel(false);
        boolean first = !answered;
        answered = true;
        return first;
    }
}
