package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes one result to a file, batch by batch. All work runs on the spool's threads, one at a time. Owns the stream, and
 * the file until it is complete; a failure leaves nothing behind.
 */
final class SpoolWriter {

    /**
     * A complete result.
     *
     * @param file to be deleted by the holder
     * @param updateCount of a statement that changed rows
     * @param truncated whether a row limit left rows out
     */
    record Spooled(SpoolFile file, OptionalLong updateCount, boolean truncated) {}

    private final Spool spool;
    private final String user;
    private final ChunkSource source;
    private final Executor disk;
    private final CompletableFuture<Spooled> done = new CompletableFuture<>();
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicReference<@Nullable GatewayException> failure = new AtomicReference<>();

    // Touched in run() only.
    private @Nullable SpoolFile file;
    private boolean closed;

    SpoolWriter(Spool spool, String user, LoadedResult result, long rowLimit, Executor disk) {
        this.spool = spool;
        this.user = user;
        this.disk = disk;
        var stream = result.stream();
        stream.format(ResultFormat.ARROW.label());
        ChunkOutput out = new ChunkOutput(ByteBufAllocator.DEFAULT, ResultFormat.ARROW.chunkBytes());
        ResultEncoder encoder = new ArrowEncoder(out, stream.schema(), stream.dictionaries(), UnaryOperator.identity());
        this.source = new ChunkSource(result, encoder, out, rowLimit, ResultFormat.ARROW.takesEncoded(rowLimit));
    }

    /**
     * Completes with the file sealed, or fails with a {@link GatewayException}; in both cases before the stream is closed.
     */
    CompletionStage<Spooled> done() {
        return done;
    }

    void start() {
        source.stream().aborted().thenAccept(this::fail);
        wake();
    }

    private void fail(GatewayException reason) {
        failure.compareAndSet(null, reason);
        wake();
    }

    private void wake() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        try {
            disk.execute(this::run);
        } catch (RejectedExecutionException e) {
            // The front is closing: the result goes, and its file with it.
            failure.compareAndSet(
                    null, new GatewayException(GatewayErrorCode.DRAINING, "The gateway is shutting down."));
            run();
        }
    }

    private void run() {
        int missed = 1;
        do {
            if (!closed) {
                step();
            }
            missed = work.addAndGet(-missed);
        } while (missed != 0);
    }

    private void step() {
        try {
            if (failure.get() == null) {
                write();
            }
        } catch (GatewayException thrown) {
            failure.compareAndSet(null, thrown);
        } catch (IOException thrown) {
            failure.compareAndSet(null, diskFailed(thrown));
        } catch (Throwable thrown) {
            failure.compareAndSet(null, Problems.of(thrown));
        }
        GatewayException failed = failure.get();
        if (failed != null && !closed) {
            closed = true;
            if (file != null) {
                file.delete();
            }
            // Told before the stream closes: otherwise the query would count as left by its client.
            done.completeExceptionally(failed);
            source.close();
        }
    }

    private void write() throws IOException {
        SpoolFile to = file;
        if (to == null) {
            to = spool.create(user);
            file = to;
        }
        while (failure.get() == null) {
            ByteBuf chunk = source.next(this::wake, this::fail);
            if (chunk == null) {
                break;
            }
            try {
                int size = chunk.readableBytes();
                to.append(chunk);
                source.stream().delivered(size);
            } finally {
                chunk.release();
            }
        }
        if (failure.get() == null && source.exhausted()) {
            to.seal();
            closed = true;
            // Told before the query ends: whoever sees it finished finds its result.
            done.complete(new Spooled(to, source.stream().updateCount(), source.truncated()));
            source.close();
        }
    }

    /** The disk may have filled up faster than it was asked. */
    private GatewayException diskFailed(IOException thrown) {
        try {
            spool.checkDisk(0);
        } catch (GatewayException full) {
            return full;
        } catch (IOException e) {
            thrown.addSuppressed(e);
        }
        GatewayException fault = Problems.fault(thrown);
        return new GatewayException(
                GatewayErrorCode.INTERNAL,
                "The result could not be stored; the gateway's log has more under the error id "
                        + fault.details().errorId() + ".",
                new ErrorDetails(
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        fault.details().errorId()));
    }
}
