package dev.weir.engine;

import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Endianness;
import org.apache.arrow.flatbuf.Field;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Schema;

/** Reads the schema message of an upload, of which nothing is known to be well-formed. */
public final class IngestSchema {

    private static final int MAX_DEPTH = 100;
    private static final int MAX_FIELDS = 50_000;

    private IngestSchema() {}

    /**
     * @param message an Arrow IPC message's flatbuffer, without prefix
     * @throws EngineException INVALID_PARAMETER when it is no schema, or a larger or deeper one than is taken
     */
    public static Schema read(ByteBuffer message) {
        Schema schema;
        try {
            Message parsed = Message.getRootAsMessage(message.slice());
            if (parsed.headerType() != MessageHeader.Schema) {
                throw invalid("An Arrow stream begins with its schema; this one does not.");
            }
            org.apache.arrow.flatbuf.Schema header =
                    (org.apache.arrow.flatbuf.Schema) parsed.header(new org.apache.arrow.flatbuf.Schema());
            if (header == null || parsed.version() < MetadataVersion.V4) {
                throw invalid("The uploaded stream is of an Arrow format before 1.0; write it with a newer one.");
            }
            if (header.endianness() != Endianness.Little) {
                throw invalid("The uploaded stream is big-endian; send it little-endian.");
            }
            int fields = 0;
            for (int i = 0; i < header.fieldsLength(); i++) {
                fields = count(header.fields(i), fields, 0);
            }
            schema = MessageSerializer.deserializeSchema(parsed);
        } catch (EngineException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            throw invalid("The schema of the uploaded stream is corrupt, or has a type that is not known here.");
        }
        return schema;
    }

    /** Counts before anything is built: parts of a flatbuffer can be shared, so that a small one stands for millions. */
    private static int count(Field field, int before, int depth) {
        int fields = before + 1;
        if (fields > MAX_FIELDS || depth > MAX_DEPTH) {
            throw invalid("The schema of the uploaded stream has more than " + MAX_FIELDS + " fields, or more than "
                    + MAX_DEPTH + " levels.");
        }
        for (int i = 0; i < field.childrenLength(); i++) {
            fields = count(field.children(i), fields, depth + 1);
        }
        return fields;
    }

    private static EngineException invalid(String message) {
        return new EngineException(EngineFailure.INVALID_PARAMETER, message, "22023", -1, null);
    }
}
