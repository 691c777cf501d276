package dev.weir.gateway.system;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.DateDayVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** An Arrow stream as the {@link Oracle} writes rows. */
final class ArrowRows {

    private ArrowRows() {}

    static List<List<String>> of(byte[] stream) throws IOException {
        List<List<String>> rows = new ArrayList<>();
        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(new ByteArrayInputStream(stream), allocator)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            while (reader.loadNextBatch()) {
                for (int row = 0; row < root.getRowCount(); row++) {
                    List<String> cells = new ArrayList<>();
                    for (FieldVector vector : root.getFieldVectors()) {
                        cells.add(cell(vector, row));
                    }
                    rows.add(cells);
                }
            }
        }
        return rows;
    }

    private static String cell(FieldVector vector, int row) {
        if (vector instanceof DateDayVector days && !days.isNull(row)) {
            return LocalDate.ofEpochDay(days.get(row)).toString();
        }
        return Oracle.text(vector.getObject(row));
    }
}
