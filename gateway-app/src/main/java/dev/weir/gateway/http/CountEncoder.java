package dev.weir.gateway.http;

import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/** The JSON answer of a statement that gives no rows: how many it changed. */
final class CountEncoder implements ResultEncoder {

    private final ChunkOutput out;
    private final String queryId;
    private final long count;

    CountEncoder(ChunkOutput out, String queryId, long count) {
        this.out = out;
        this.queryId = queryId;
        this.count = count;
    }

    @Override
    public void begin() {}

    @Override
    public void batch(VectorSchemaRoot root, DictionaryProvider dictionaries, int rows) {}

    @Override
    public boolean encode() {
        return true;
    }

    @Override
    public void end(long rows, boolean truncated) {
        JsonGenerator json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), out);
        json.writeStartObject();
        json.writeStringProperty("queryId", queryId);
        json.writeNumberProperty("updateCount", count);
        json.writeEndObject();
        json.writeRaw('\n');
        json.flush();
    }
}
