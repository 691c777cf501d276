package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
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

    /** What a query gives a reader of the gateway; fails unless the gateway answers it. */
    static List<List<String>> of(TestGateway gateway, String sql) throws Exception {
        HttpResponse<InputStream> response =
                gateway.stream(TestGateway.READER, "application/vnd.apache.arrow.stream", sql);
        try (InputStream body = response.body()) {
            byte[] bytes = body.readAllBytes();
            assertThat(response.statusCode())
                    .as(() -> new String(bytes, StandardCharsets.UTF_8))
                    .isEqualTo(200);
            return of(bytes);
        }
    }

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
