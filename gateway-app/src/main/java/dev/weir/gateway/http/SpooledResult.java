package dev.weir.gateway.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A spooled result being read again. Reads on the disk's threads; is closed there too, never while a batch loads. The
 * client-stall clock runs here as it does for a query: no permit hangs on it, but memory and a file do.
 */
final class SpooledResult implements ResultStream {

    /** Delivered bytes that count as progress. */
    private static final long PROGRESS_BYTES = 1 << 20;

    private final SpoolReaders readers;
    private final ArrowStreamReader reader;
    private final VectorSchemaRoot root;
    private final OptionalLong updateCount;
    private final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean loading;

    @GuardedBy("this")
    private boolean closed;

    @GuardedBy("this")
    private long progressAt = System.nanoTime();

    @GuardedBy("this")
    private long progressBytes;

    private volatile @Nullable ScheduledFuture<?> timer;

    SpooledResult(SpoolReaders readers, ArrowStreamReader reader, VectorSchemaRoot root, OptionalLong updateCount) {
        this.readers = readers;
        this.reader = reader;
        this.root = root;
        this.updateCount = updateCount;
    }

    /** Starts the stall clock. */
    void watch() {
        check();
    }

    private void check() {
        long left;
        synchronized (this) {
            if (closed) {
                return;
            }
            left = readers.stallTimeout().toNanos() - (System.nanoTime() - progressAt);
        }
        if (left > 0) {
            try {
                timer = readers.timer().schedule(this::check, left, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                left = 0;
            }
        }
        if (left <= 0) {
            Duration allowed = readers.stallTimeout();
            aborted.complete(new GatewayException(
                    GatewayErrorCode.CLIENT_STALLED,
                    "The client took no part of the result for " + allowed.toSeconds()
                            + " s (admission.client-stall-timeout).",
                    ErrorDetails.ofLimit("query", "admission.client-stall-timeout", allowed.toSeconds() + "s")));
        }
    }

    @Override
    public Schema schema() {
        return root.getSchema();
    }

    @Override
    public VectorSchemaRoot root() {
        return root;
    }

    @Override
    public DictionaryProvider dictionaries() {
        return reader;
    }

    @Override
    public OptionalLong updateCount() {
        return updateCount;
    }

    @Override
    public CompletionStage<Boolean> next() {
        synchronized (this) {
            if (closed || loading) {
                throw new IllegalStateException("next() while " + (closed ? "closed" : "loading"));
            }
            loading = true;
            progressAt = System.nanoTime();
        }
        return CompletableFuture.supplyAsync(this::load, readers.disk());
    }

    private boolean load() {
        boolean last;
        try {
            return reader.loadNextBatch();
        } catch (IOException | RuntimeException e) {
            throw Problems.fault(e);
        } finally {
            synchronized (this) {
                loading = false;
                progressAt = System.nanoTime();
                last = closed;
            }
            if (last) {
                free();
            }
        }
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return aborted;
    }

    @Override
    public synchronized void delivered(long bytes) {
        progressBytes += bytes;
        if (progressBytes >= PROGRESS_BYTES) {
            progressBytes = 0;
            progressAt = System.nanoTime();
        }
    }

    @Override
    public void finishEarly() {}

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            if (loading) {
                // The loading thread frees it.
                return;
            }
        }
        readers.onDisk(this::free);
    }

    private void free() {
        ScheduledFuture<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
        try {
            reader.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } finally {
            readers.closed();
        }
    }
}
