package dev.weir.engine.wire;

import java.nio.ByteBuffer;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.vector.ipc.message.ArrowMessage;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Arrow IPC messages without their bodies. */
public final class Schemas {

    private Schemas() {}

    /** A schema message's flatbuffer, without prefix or padding. */
    public static byte[] write(Schema schema) {
        return bytes(MessageSerializer.serializeMetadata(schema));
    }

    /** A record batch message's flatbuffer, without prefix or padding. */
    public static byte[] write(ArrowMessage batch) {
        return bytes(MessageSerializer.serializeMetadata(batch));
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    /** @throws RuntimeException when it is not well-formed */
    public static Schema read(byte[] message) {
        return MessageSerializer.deserializeSchema(Message.getRootAsMessage(ByteBuffer.wrap(message)));
    }

    /** Whether a column, or one within, needs a dictionary, which this protocol does not carry. */
    public static boolean hasDictionary(Iterable<Field> fields) {
        for (Field field : fields) {
            if (field.getDictionary() != null || hasDictionary(field.getChildren())) {
                return true;
            }
        }
        return false;
    }
}
