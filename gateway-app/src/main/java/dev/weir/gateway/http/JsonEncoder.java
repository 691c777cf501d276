package dev.weir.gateway.http;

import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** One JSON object: the columns, then the rows as arrays, then their number. */
final class JsonEncoder extends TextEncoder {

    private final JsonGenerator json;
    private final String queryId;
    private final Schema schema;

    JsonEncoder(ChunkOutput out, String queryId, Schema schema) {
        super(out);
        this.json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), out);
        this.queryId = queryId;
        this.schema = schema;
    }

    @Override
    public void begin() {
        json.writeStartObject();
        json.writeStringProperty("queryId", queryId);
        json.writeArrayPropertyStart("columns");
        for (Field field : schema.getFields()) {
            json.writeStartObject();
            json.writeStringProperty("name", field.getName());
            json.writeStringProperty("type", ColumnTypes.name(field));
            json.writeBooleanProperty("nullable", field.isNullable());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("data");
    }

    @Override
    void row(List<ColumnWriter> writers, int index) {
        json.writeStartArray();
        for (ColumnWriter writer : writers) {
            writer.jsonOrNull(json, index);
        }
        json.writeEndArray();
    }

    @Override
    void flush() {
        json.flush();
    }

    @Override
    public void end(long rows, boolean truncated) {
        json.writeEndArray();
        json.writeNumberProperty("rowCount", rows);
        json.writeBooleanProperty("truncated", truncated);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }
}
