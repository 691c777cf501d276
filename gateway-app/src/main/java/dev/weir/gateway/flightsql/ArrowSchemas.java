package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** Schemas as Flight sends them. */
final class ArrowSchemas {

    /** The one shape of every statement that gives no rows. */
    static final Schema COUNT = new Schema(List.of(Field.notNullable("Count", new ArrowType.Int(64, true))));

    static final Schema EMPTY = new Schema(List.of());

    private ArrowSchemas() {}

    /** As an encapsulated IPC message. */
    static ByteString serialize(Schema schema) {
        ByteString.Output bytes = ByteString.newOutput();
        try {
            MessageSerializer.serialize(new WriteChannel(Channels.newChannel(bytes)), schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteString();
    }
}
