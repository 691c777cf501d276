package dev.weir.engine.duckdb;

import dev.weir.engine.IngestMessage;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;

/** Loads the messages of one part of an upload, checked, into its root. One thread at a time. */
final class UploadPart extends ArrowReader {

    private final Schema schema;
    private final BatchDecoder decoder;
    /** Rows of each dictionary that was loaded. */
    private final Map<Long, Integer> sizes = new HashMap<>();

    UploadPart(BufferAllocator allocator, Schema schema) throws IOException {
        super(allocator);
        this.schema = schema;
        this.decoder = new BatchDecoder(allocator);
        ensureInitialized();
    }

    /**
     * @return rows that are in the root now; 0 when the message had none
     * @throws dev.weir.engine.EngineException INVALID_PARAMETER when the message is corrupt
     */
    int load(IngestMessage message) throws IOException {
        try {
            Message parsed = BatchDecoder.parse(message);
            if (parsed.headerType() == MessageHeader.DictionaryBatch) {
                dictionary((DictionaryBatch) header(parsed.header(new DictionaryBatch())), message);
                return 0;
            }
            if (parsed.headerType() != MessageHeader.RecordBatch) {
                throw Upload.corrupt("a message that is neither rows nor a dictionary");
            }
            return rows((RecordBatch) header(parsed.header(new RecordBatch())), message);
        } catch (IndexOutOfBoundsException | IllegalArgumentException | ArithmeticException | ClassCastException e) {
            throw Upload.corrupt("a message is damaged");
        }
    }

    private static <T> T header(@org.jspecify.annotations.Nullable T header) {
        if (header == null) {
            throw Upload.corrupt("a message without content");
        }
        return header;
    }

    private int rows(RecordBatch given, IngestMessage message) throws IOException {
        ArrowRecordBatch batch = decoder.decode(given, message.body());
        try {
            BatchCheck.check(getVectorSchemaRoot().getSchema().getFields(), batch, sizes);
        } catch (RuntimeException e) {
            batch.close();
            throw e;
        }
        int rows = batch.getLength();
        if (rows == 0) {
            batch.close();
            return 0;
        }
        prepareLoadNextBatch();
        loadRecordBatch(batch);
        return rows;
    }

    private void dictionary(DictionaryBatch given, IngestMessage message) {
        Dictionary dictionary = lookup(given.id());
        if (dictionary == null) {
            throw Upload.corrupt("a dictionary that no column has");
        }
        if (given.isDelta()) {
            throw Upload.refused("The uploaded stream has delta dictionaries, which this gateway does not take;"
                    + " write it without them.");
        }
        ArrowRecordBatch batch = decoder.decode(header(given.data()), message.body());
        try {
            BatchCheck.check(java.util.List.of(dictionary.getVector().getField()), batch, sizes);
        } catch (RuntimeException e) {
            batch.close();
            throw e;
        }
        sizes.put(given.id(), batch.getLength());
        loadDictionary(new ArrowDictionaryBatch(given.id(), batch, false));
    }

    @Override
    public boolean loadNextBatch() {
        throw new UnsupportedOperationException("messages are loaded one by one");
    }

    @Override
    public long bytesRead() {
        return 0;
    }

    @Override
    protected void closeReadSource() {
        // The feed is its owner's.
    }

    @Override
    protected Schema readSchema() {
        return schema;
    }
}
