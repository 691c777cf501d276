package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.ResultStream;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves one result to one client, batch by batch, as fast as the client takes it.
 *
 * <p>A state machine that never waits: every event (stream open, batch loaded, transport ready, client gone, query ended
 * from elsewhere) calls {@link #signal()}, and one thread at a time runs {@link #step()}, on whatever thread the event
 * came. So the result is read, encoded and closed by one thread at a time, although its events come from several. While
 * the transport works on a batch the next one is loaded, and kept until there is room: at most one is in hand.
 */
final class ResultPump {

    private static final Logger LOG = LoggerFactory.getLogger(ResultPump.class);

    private enum Phase {
        /** Waits for the result. */
        OPENING,
        /** Waits for a batch. */
        LOADING,
        /** Has a batch; waits for room in the transport. */
        SENDING,
        /** Sent the last batch; waits for room before the call is completed. */
        LAST,
        /** The call was answered. */
        OVER
    }

    private final ServerStreamListener listener;
    private final CallState call;
    private final Supplier<CancelReason> goneReason;
    private final UnaryOperator<ResultStream> shape;
    private final BufferAllocator allocator;
    private final BufferCompression compression;
    private final AtomicInteger signals = new AtomicInteger();

    private CompletableFuture<ResultStream> opening = new CompletableFuture<>();
    private CompletableFuture<Boolean> loading = new CompletableFuture<>();
    private Phase phase = Phase.OPENING;
    private @Nullable QueryExecution execution;
    private @Nullable ResultStream stream;
    private @Nullable Batches batches;
    private long batchBytes;

    /** Of the batch that the transport has not told to be through with. */
    private long sentBytes;

    private volatile boolean gone;
    private volatile @Nullable GatewayException aborted;

    /**
     * @param shape turns the engine's result into the one that is sent
     * @param allocator for what is decoded or compressed on the way
     * @param compression of the batches that are sent
     * @param goneReason why a query is cancelled when its client goes: that, or the gateway's own end
     */
    ResultPump(
            ServerStreamListener listener,
            CallState call,
            UnaryOperator<ResultStream> shape,
            BufferAllocator allocator,
            BufferCompression compression,
            Supplier<CancelReason> goneReason) {
        this.listener = listener;
        this.call = call;
        this.shape = shape;
        this.allocator = allocator;
        this.compression = compression;
        this.goneReason = goneReason;
    }

    /** Pumps what a query gives to this client. Called once, on the call's thread. */
    void start(QueryExecution query, CompletionStage<ResultStream> result) {
        execution = query;
        start(result);
    }

    /** Pumps a result that no query stands behind. Called once, on the call's thread. */
    void start(CompletionStage<ResultStream> result) {
        opening = result.toCompletableFuture();
        listener.setOnCancelHandler(() -> {
            gone = true;
            signal();
        });
        listener.setOnReadyHandler(this::signal);
        var unused = opening.whenComplete((value, failure) -> signal());
        if (listener.isCancelled()) {
            gone = true;
        }
        signal();
    }

    /** Something happened: look at it, here or on the thread that is looking already. */
    private void signal() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            try {
                while (step()) {}
            } catch (RuntimeException | Error e) {
                fail(e);
            }
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** @return whether another step may be possible at once */
    private boolean step() {
        if (phase == Phase.OVER) {
            return false;
        }
        if (gone) {
            abandon();
            return false;
        }
        return switch (phase) {
            case OPENING -> opening.isDone() && open();
            case LOADING -> loading.isDone() && loaded();
            case SENDING -> isReady() && send();
            case LAST -> isReady() && complete();
            case OVER -> false;
        };
    }

    private boolean open() {
        ResultStream opened;
        try {
            opened = opening.join();
        } catch (RuntimeException e) {
            fail(e);
            return false;
        }
        try {
            ResultStream shaped = shape.apply(opened);
            stream = shaped;
            batches = Batches.of(shaped, listener, call, allocator, compression);
        } catch (RuntimeException e) {
            opened.close();
            throw e;
        }
        var unused = opened.aborted().thenAccept(failure -> {
            aborted = failure;
            signal();
        });
        load();
        return true;
    }

    private void load() {
        phase = Phase.LOADING;
        loading = batches().load().toCompletableFuture();
        if (!loading.isDone()) {
            var unused = loading.whenComplete((more, failure) -> signal());
        }
    }

    private boolean loaded() {
        boolean more;
        try {
            more = loading.join();
        } catch (RuntimeException e) {
            fail(e);
            return false;
        }
        batchBytes = batches().loaded(more);
        phase = more ? Phase.SENDING : Phase.LAST;
        return true;
    }

    private boolean send() {
        confirm();
        if (batches().send()) {
            sentBytes = batchBytes;
            load();
        }
        return true;
    }

    /** The transport has room again, so the batch before is on its way. */
    private void confirm() {
        if (sentBytes > 0) {
            result().delivered(sentBytes);
            sentBytes = 0;
        }
    }

    /** Everything is handed to the transport; the query ends, and frees its permit, when the transport is done with it. */
    private boolean complete() {
        confirm();
        phase = Phase.OVER;
        ResultStream result = result();
        batches().close();
        listener.completed();
        // Until then the reader's clocks run on: a client that does not take the last bytes does not keep the permit.
        call.atEnd(result::close);
        var unused = result.aborted().thenAccept(failure -> result.close());
        return false;
    }

    /** Room in the transport; a query that was ended elsewhere meanwhile (a timeout, a cancel) ends the call here. */
    private boolean isReady() {
        GatewayException failure = aborted;
        if (failure != null) {
            fail(failure);
            return false;
        }
        return listener.isReady();
    }

    private void fail(Throwable failure) {
        if (phase == Phase.OVER) {
            LOG.warn("a stream failed after its end", failure);
            return;
        }
        phase = Phase.OVER;
        GatewayException shown = withQueryId(FlightErrors.toGateway(failure));
        QueryExecution query = execution;
        if (query != null) {
            // Ended already, unless the failure is this front's own.
            query.fail(shown);
        }
        try {
            listener.error(FlightErrors.toStatus(shown));
        } finally {
            closeResult();
        }
    }

    private GatewayException withQueryId(GatewayException failure) {
        QueryExecution query = execution;
        return query == null || failure.details().queryId() != null
                ? failure
                : new GatewayException(
                        failure.code(), failure.text(), failure.details().withQueryId(query.id()), failure.getCause());
    }

    private void abandon() {
        phase = Phase.OVER;
        QueryExecution query = execution;
        if (query != null) {
            query.cancel(goneReason.get());
        }
        closeResult();
        listener.error(FlightErrors.toStatus(
                new GatewayException(GatewayErrorCode.CANCELLED, "The client cancelled the call.")));
    }

    private void closeResult() {
        ResultStream result = stream;
        if (result != null) {
            if (batches != null) {
                batches.close();
            }
            result.close();
            return;
        }
        // The result may still come; nobody else will close it.
        QueryExecution query = execution;
        if (!opening.isDone() && query != null) {
            query.cancel(goneReason.get());
        }
        var unused = opening.thenAccept(ResultStream::close);
    }

    private ResultStream result() {
        return Objects.requireNonNull(stream);
    }

    private Batches batches() {
        return Objects.requireNonNull(batches);
    }
}
