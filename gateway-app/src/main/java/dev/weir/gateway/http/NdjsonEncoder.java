package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;

/** One JSON object a line and row. A failure is a last line with the one key {@code error}. */
final class NdjsonEncoder extends TextEncoder {

    private final JsonGenerator json;
    private final String queryId;
    private final List<SerializableString> names;
    private boolean any;

    NdjsonEncoder(ChunkOutput out, String queryId, Schema schema) {
        super(out);
        this.json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), out);
        this.queryId = queryId;
        this.names = names(schema);
    }

    /** Column names; a name that was used before gets {@code _2}, {@code _3} and so on, so that no value is lost. */
    private static List<SerializableString> names(Schema schema) {
        Set<String> given = new HashSet<>();
        for (Field field : schema.getFields()) {
            given.add(field.getName());
        }
        Set<String> used = new HashSet<>();
        List<SerializableString> names = new ArrayList<>();
        for (Field field : schema.getFields()) {
            String name = field.getName();
            for (int i = 2; !used.add(name); i++) {
                String candidate = field.getName() + "_" + i;
                name = given.contains(candidate) ? name : candidate;
            }
            names.add(new SerializedString(name));
        }
        return names;
    }

    @Override
    public void begin() {}

    @Override
    void row(List<ColumnWriter> writers, int index) {
        any = true;
        json.writeStartObject();
        for (int i = 0; i < writers.size(); i++) {
            json.writeName(names.get(i));
            writers.get(i).jsonOrNull(json, index);
        }
        json.writeEndObject();
    }

    @Override
    void flush() {
        json.flush();
    }

    @Override
    public void end(long rows, boolean truncated) {
        if (any) {
            json.writeRaw('\n');
        }
        json.flush();
    }

    @Override
    public boolean fail(GatewayException failure) {
        if (!json.streamWriteContext().inRoot()) {
            // A row broke in its middle: there is no place for another object.
            return false;
        }
        json.writeStartObject();
        json.writeName("error");
        Problem.of(failure, queryId).write(json);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
        return true;
    }
}
