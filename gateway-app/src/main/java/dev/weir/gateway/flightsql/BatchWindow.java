package dev.weir.gateway.flightsql;

import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;

/**
 * The one root that a stream's listener encodes: it shows the result's own root, or, when a batch is too large for the
 * clients' message limit, one slice of it after the other.
 */
final class BatchWindow extends VectorSchemaRoot {

    /** Some clients refuse messages over 16 MiB; a slice's size is an average, so stay well under. */
    private static final long MAX_BATCH_BYTES = 12L << 20;

    private static final long SLICE_BYTES = 6L << 20;

    private final VectorSchemaRoot source;
    private VectorSchemaRoot shown;
    private int nextRow;
    private int sliceRows;

    BatchWindow(VectorSchemaRoot source) {
        super(source.getSchema(), source.getFieldVectors(), source.getRowCount());
        this.source = source;
        this.shown = source;
    }

    /** The source holds a new batch. @return its size in bytes */
    long batchLoaded() {
        long bytes = 0;
        for (FieldVector vector : source.getFieldVectors()) {
            bytes += vector.getBufferSize();
        }
        int rows = source.getRowCount();
        nextRow = 0;
        sliceRows = bytes <= MAX_BATCH_BYTES ? rows : (int) Math.max(1, rows * SLICE_BYTES / bytes);
        return bytes;
    }

    /** Whether part of the batch was not shown yet. */
    boolean hasNext() {
        return nextRow < source.getRowCount();
    }

    /** Shows the next part while {@code encode} runs. */
    void showNext(Runnable encode) {
        int rows = Math.min(sliceRows, source.getRowCount() - nextRow);
        if (rows == source.getRowCount()) {
            nextRow = rows;
            encode.run();
            return;
        }
        try (VectorSchemaRoot slice = source.slice(nextRow, rows)) {
            shown = slice;
            encode.run();
        } finally {
            shown = source;
        }
        nextRow += rows;
    }

    @Override
    public List<FieldVector> getFieldVectors() {
        // The constructor of the superclass runs before this one's fields are set.
        return shown == null ? super.getFieldVectors() : shown.getFieldVectors();
    }

    @Override
    public int getRowCount() {
        return shown == null ? super.getRowCount() : shown.getRowCount();
    }

    /** Nothing: the result owns the vectors. */
    @Override
    public void close() {}
}
