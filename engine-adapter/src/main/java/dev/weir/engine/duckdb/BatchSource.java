package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import java.io.IOException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Hands a reader's batches on, one stable root for all, in slices where a batch is too large for a message. Buffers are
 * moved, not copied. Used by the thread inside the scope only.
 */
final class BatchSource implements AutoCloseable {

    /** A batch above this is served in slices of about this size. */
    static final long SLICE_BYTES = 8L << 20;
    /** A slice above this is halved, unless it is a single row: Go clients refuse messages of 16 MiB. */
    static final long MAX_SLICE_BYTES = 15L << 20;

    private final ArrowReader reader;
    private final VectorSchemaRoot loaded;
    private final VectorSchemaRoot root;
    private final ValueGuard guard;
    private final SqlText text;
    private int served;
    private int rows;
    private int sliceRows;
    private boolean over;

    BatchSource(ArrowReader reader, Schema schema, ValueGuard guard, SqlText text, BufferAllocator memory)
            throws IOException {
        this.reader = reader;
        this.loaded = reader.getVectorSchemaRoot();
        this.root = VectorSchemaRoot.create(schema, memory);
        this.guard = guard;
        this.text = text;
    }

    VectorSchemaRoot root() {
        return root;
    }

    /** Fills the root with the next slice; false at the end. */
    boolean next() throws IOException {
        root.clear();
        while (served >= rows) {
            if (!load()) {
                return false;
            }
        }
        if (served == 0 && sliceRows >= rows) {
            move();
        } else {
            slice();
        }
        return true;
    }

    private boolean load() throws IOException {
        over = over || !reader.loadNextBatch();
        if (over) {
            return false;
        }
        served = 0;
        rows = loaded.getRowCount();
        guard.check(loaded);
        sliceRows = sliceRows(loaded);
        return true;
    }

    private static int sliceRows(VectorSchemaRoot batch) {
        long bytes = bytes(batch);
        int count = batch.getRowCount();
        if (bytes <= SLICE_BYTES || count <= 1) {
            return count;
        }
        long slices = (bytes + SLICE_BYTES - 1) / SLICE_BYTES;
        return (int) Math.max(1, (count + slices - 1) / slices);
    }

    private void move() {
        List<FieldVector> from = loaded.getFieldVectors();
        for (int i = 0; i < from.size(); i++) {
            from.get(i).makeTransferPair(root.getVector(i)).transfer();
        }
        served = rows;
        root.setRowCount(rows);
    }

    private void slice() {
        int count = Math.min(sliceRows, rows - served);
        while (true) {
            List<FieldVector> from = loaded.getFieldVectors();
            for (int i = 0; i < from.size(); i++) {
                from.get(i).makeTransferPair(root.getVector(i)).splitAndTransfer(served, count);
            }
            root.setRowCount(count);
            if (count == 1 || bytes(root) <= MAX_SLICE_BYTES) {
                served += count;
                return;
            }
            root.clear();
            count /= 2;
        }
    }

    private static long bytes(VectorSchemaRoot batch) {
        long bytes = 0;
        for (FieldVector vector : batch.getFieldVectors()) {
            bytes += vector.getBufferSize();
        }
        return bytes;
    }

    EngineException translate(Throwable thrown) {
        return ErrorTranslator.translate(thrown, text);
    }

    /** Frees the root; the reader is closed by its owner. */
    @Override
    public void close() {
        root.close();
    }
}
