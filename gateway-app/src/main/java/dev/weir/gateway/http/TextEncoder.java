package dev.weir.gateway.http;

import java.util.List;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;

/** What the text formats share: row by row, until a chunk is full. */
abstract class TextEncoder implements ResultEncoder {

    final ChunkOutput out;
    private List<ColumnWriter> columns = List.of();
    private int rows;
    private int row;

    TextEncoder(ChunkOutput out) {
        this.out = out;
    }

    @Override
    public final void batch(VectorSchemaRoot root, DictionaryProvider dictionaries, int batchRows) {
        columns = new ColumnWriters(dictionaries)
                .of(root.getFieldVectors(), root.getSchema().getFields());
        rows = batchRows;
        row = 0;
    }

    @Override
    public final boolean encode() {
        while (row < rows && !out.hasFull()) {
            row(columns, row++);
        }
        if (row < rows) {
            return false;
        }
        flush();
        return true;
    }

    /** Writes one row. */
    abstract void row(List<ColumnWriter> writers, int index);

    /** Hands what is buffered to the output. */
    void flush() {}
}
