package dev.weir.gateway.cli.tpch;

import io.trino.tpch.TpchEntity;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A table as an Arrow stream. Its parts are generated ahead, a bounded number of them, by several threads, and come out
 * in order, so that the same scale gives the same file.
 *
 * <p>DuckDB pulls from several threads, one at a time. Closing it waits for the parts in the making.
 */
final class GeneratedTableReader<E extends TpchEntity> extends ArrowReader {

    private final TableSource<E> source;
    private final Executor producers;
    private final int ahead;
    private final TpchProgress progress;
    private final Deque<CompletableFuture<VectorSchemaRoot>> pending = new ArrayDeque<>();
    private int nextPart = 1;
    private volatile long rows;
    private volatile @Nullable Throwable failure;

    GeneratedTableReader(
            TableSource<E> source, BufferAllocator allocator, Executor producers, int ahead, TpchProgress progress) {
        super(allocator);
        this.source = source;
        this.producers = producers;
        this.ahead = ahead;
        this.progress = progress;
    }

    /** Rows handed out so far. */
    long rows() {
        return rows;
    }

    /** What broke the generator; DuckDB reports it only as text. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    @Override
    public synchronized boolean loadNextBatch() throws IOException {
        prepareLoadNextBatch();
        while (pending.size() < ahead && nextPart <= source.parts()) {
            int part = nextPart++;
            pending.add(CompletableFuture.supplyAsync(() -> source.generate(part, allocator), producers));
        }
        CompletableFuture<VectorSchemaRoot> first = pending.poll();
        if (first == null) {
            return false;
        }
        try (VectorSchemaRoot batch = await(first)) {
            moveIntoRoot(batch);
        }
        return true;
    }

    private VectorSchemaRoot await(CompletableFuture<VectorSchemaRoot> batch) throws IOException {
        try {
            return batch.get();
        } catch (InterruptedException e) {
            pending.addFirst(batch);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            failure = e.getCause();
            throw new IOException("the generator failed", e.getCause());
        }
    }

    private void moveIntoRoot(VectorSchemaRoot batch) throws IOException {
        VectorSchemaRoot root = getVectorSchemaRoot();
        for (int i = 0; i < root.getFieldVectors().size(); i++) {
            FieldVector target = root.getVector(i);
            batch.getVector(i).makeTransferPair(target).transfer();
        }
        root.setRowCount(batch.getRowCount());
        rows += batch.getRowCount();
        progress.rows(source.name(), rows, source.expectedRows());
    }

    @Override
    public long bytesRead() {
        return 0;
    }

    @Override
    protected synchronized void closeReadSource() {
        for (CompletableFuture<VectorSchemaRoot> batch : pending) {
            batch.handle((root, error) -> {
                        if (root != null) {
                            root.close();
                        }
                        return null;
                    })
                    .join();
        }
        pending.clear();
    }

    @Override
    protected Schema readSchema() {
        return source.schema();
    }
}
