package dev.weir.gateway.http;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/**
 * Opens spooled results for reading. Each takes memory for a batch, and no permit of the admission guards that; so their
 * number is bounded here.
 */
final class SpoolReaders {

    private final BufferAllocator allocator;
    private final Executor disk;
    private final ScheduledExecutorService timer;
    private final Duration stallTimeout;
    private final int maxOpen;
    private final Semaphore open;

    /**
     * @param disk bounded pool for file access
     * @param stallTimeout longest time without progress of a reader's client
     * @param maxOpen results that are read at once
     */
    SpoolReaders(
            BufferAllocator allocator,
            Executor disk,
            ScheduledExecutorService timer,
            Duration stallTimeout,
            int maxOpen) {
        this.allocator = allocator;
        this.disk = disk;
        this.timer = timer;
        this.stallTimeout = stallTimeout;
        this.maxOpen = maxOpen;
        this.open = new Semaphore(maxOpen);
    }

    /** Opens a result and loads its first batch; whoever gets it closes its stream. */
    CompletionStage<LoadedResult> open(SpoolWriter.Spooled spooled) {
        if (!open.tryAcquire()) {
            String value = Integer.toString(maxOpen);
            return CompletableFuture.failedFuture(new GatewayException(
                    GatewayErrorCode.RATE_LIMITED,
                    "As many stored results as may be are being read at this moment; try again soon.",
                    ErrorDetails.ofLimit("global", "results.readers", value)));
        }
        return CompletableFuture.supplyAsync(() -> read(spooled), disk)
                .whenComplete((result, thrown) -> {
                    if (thrown != null) {
                        open.release();
                    }
                })
                .thenCompose(result -> result.next()
                        .thenApply(more -> new LoadedResult(result, more, spooled.truncated()))
                        .whenComplete((loaded, thrown) -> {
                            if (thrown != null) {
                                result.close();
                            }
                        }));
    }

    private SpooledResult read(SpoolWriter.Spooled spooled) {
        FileChannel file = null;
        ArrowStreamReader reader = null;
        try {
            file = spooled.file().open();
            reader = new ArrowStreamReader(file, allocator);
            SpooledResult result = new SpooledResult(this, reader, reader.getVectorSchemaRoot(), spooled.updateCount());
            result.watch();
            return result;
        } catch (IOException | RuntimeException e) {
            closeQuietly(reader != null ? reader : file);
            throw e instanceof java.nio.file.NoSuchFileException
                    ? HttpProblem.gone("The result is gone; it was deleted or its time was over.")
                    : Problems.fault(e);
        }
    }

    private static void closeQuietly(@org.jspecify.annotations.Nullable AutoCloseable resource) {
        if (resource != null) {
            try {
                resource.close();
            } catch (Exception e) {
                // The failure before is what counts.
            }
        }
    }

    Executor disk() {
        return disk;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    Duration stallTimeout() {
        return stallTimeout;
    }

    void closed() {
        open.release();
    }

    /** Runs on the disk pool, or here when it has ended. */
    void onDisk(Runnable task) {
        try {
            disk.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }
}
