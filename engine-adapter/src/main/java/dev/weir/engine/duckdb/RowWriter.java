package dev.weir.engine.duckdb;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.UInt1Vector;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Fills a root row by row with the few types that answers about the catalog have. */
final class RowWriter {

    private final VectorSchemaRoot root;
    private int rows;

    RowWriter(Schema schema, BufferAllocator memory) {
        root = VectorSchemaRoot.create(schema, memory);
    }

    /** Adds a row, one value per column; null where the column allows it. */
    void add(@Nullable Object... values) {
        for (int i = 0; i < values.length; i++) {
            FieldVector vector = root.getVector(i);
            Object value = values[i];
            if (value != null) {
                set(vector, value);
            }
        }
        rows++;
    }

    private void set(FieldVector vector, Object value) {
        if (vector instanceof VarCharVector text) {
            text.setSafe(rows, value.toString().getBytes(StandardCharsets.UTF_8));
        } else if (vector instanceof VarBinaryVector bytes) {
            bytes.setSafe(rows, (byte[]) value);
        } else if (vector instanceof IntVector number) {
            number.setSafe(rows, (Integer) value);
        } else if (vector instanceof UInt1Vector number) {
            number.setSafe(rows, (Integer) value);
        } else if (vector instanceof BitVector flag) {
            flag.setSafe(rows, (Boolean) value ? 1 : 0);
        } else if (vector instanceof ListVector list) {
            texts(list, (List<?>) value);
        } else {
            throw new IllegalArgumentException("No writer for " + vector.getField());
        }
    }

    private void texts(ListVector list, List<?> values) {
        int from = list.startNewValue(rows);
        VarCharVector items = (VarCharVector) list.getDataVector();
        for (int i = 0; i < values.size(); i++) {
            items.setSafe(from + i, values.get(i).toString().getBytes(StandardCharsets.UTF_8));
        }
        list.endValue(rows, values.size());
    }

    /** The root with all rows; the caller owns it. */
    VectorSchemaRoot finish() {
        root.setRowCount(rows);
        return root;
    }

    /** Frees the root, for a writer that will not be finished. */
    void discard() {
        root.close();
    }
}
