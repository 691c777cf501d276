package dev.weir.gateway.http;

import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** CSV with a header line. */
final class CsvEncoder extends TextEncoder {

    private final CsvOutput csv;
    private final Schema schema;

    CsvEncoder(ChunkOutput out, Schema schema) {
        super(out);
        this.csv = new CsvOutput(out);
        this.schema = schema;
    }

    @Override
    public void begin() {
        boolean first = true;
        for (Field field : schema.getFields()) {
            if (!first) {
                csv.comma();
            }
            first = false;
            csv.text(field.getName());
        }
        csv.endOfLine();
    }

    @Override
    void row(List<ColumnWriter> writers, int index) {
        for (int i = 0; i < writers.size(); i++) {
            if (i > 0) {
                csv.comma();
            }
            ColumnWriter writer = writers.get(i);
            if (!writer.isNull(index)) {
                writer.csv(csv, index);
            }
        }
        csv.endOfLine();
    }

    @Override
    void flush() {
        csv.flush();
    }

    @Override
    public void end(long rows, boolean truncated) {
        csv.flush();
    }
}
