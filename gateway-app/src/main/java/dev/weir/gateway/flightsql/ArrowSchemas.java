package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.List;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
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
     * Parameters as clients are told of them, for drivers that bind by this schema; others bind what they have. One whose
     * type the engine could not tell is shown as text: nothing but null can be bound to Arrow's null type. Times are in
     * milliseconds, because the JDBC driver (18.3) writes milliseconds into whatever unit it is told of.
     */
    static Schema forBinding(Schema parameters) {
        return new Schema(
                parameters.getFields().stream().map(ArrowSchemas::forBinding).toList());
    }

    private static Field forBinding(Field field) {
        if (isUntyped(field)) {
            return Field.nullable(field.getName(), new ArrowType.Utf8());
        }
        ArrowType type = field.getType();
        if (type instanceof ArrowType.Timestamp timestamp) {
            type = new ArrowType.Timestamp(TimeUnit.MILLISECOND, timestamp.getTimezone());
        } else if (type instanceof ArrowType.Time) {
            type = new ArrowType.Time(TimeUnit.MILLISECOND, 32);
        }
        FieldType shown = new FieldType(field.isNullable(), type, field.getDictionary(), field.getMetadata());
        return new Field(
                field.getName(),
                shown,
                field.getChildren().stream().map(ArrowSchemas::forBinding).toList());
    }
}
