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

    /** Whether the engine could not tell the type. */
    static boolean isUntyped(Field field) {
        return field.getType() instanceof ArrowType.Null;
    }

    /**
     * Parameters as clients are told of them. One whose type the engine could not tell is shown as text: drivers that
     * bind by the schema can bind nothing but null to Arrow's null type. Others bind what they have.
     */
    static Schema forBinding(Schema parameters) {
        return new Schema(parameters.getFields().stream()
                .map(field -> isUntyped(field) ? Field.nullable(field.getName(), new ArrowType.Utf8()) : field)
                .toList());
    }
}
