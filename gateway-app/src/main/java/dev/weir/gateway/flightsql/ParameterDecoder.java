package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.OutOfMemoryException;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageMetadataResult;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.DictionaryUtility;
import org.apache.arrow.vector.validate.ValidateVectorBufferVisitor;
import org.jspecify.annotations.Nullable;

/**
 * Decodes parameters. The bytes come from outside: sizes are bounded, every vector is validated before it is read, and
 * whatever goes wrong, all buffers are given back.
 */
final class ParameterDecoder implements AutoCloseable {

    /** Decoding copies the payload once; compressed bodies and offsets may take more. */
    private static final long MEMORY_FACTOR = 4;

    private static final long MEMORY_MINIMUM = 1 << 20;

    private final BufferAllocator allocator;
    private final List<ArrowBuf> bodies = new ArrayList<>();
    private final Map<Long, Dictionary> dictionaries = new HashMap<>();
    private final List<List<@Nullable Object>> rows = new ArrayList<>();
    private final ParameterValues values = new ParameterValues();
    private @Nullable VectorSchemaRoot root;

    private ParameterDecoder(BufferAllocator parent, long payloadBytes) {
        this.allocator =
                parent.newChildAllocator("parameters", 0, Math.max(MEMORY_MINIMUM, payloadBytes * MEMORY_FACTOR));
    }

    /**
     * @return the rows, as {@link dev.weir.engine.EngineQuery} takes them; empty also when the schema has no fields
     * @throws GatewayException INVALID_REQUEST or TOO_LARGE
     */
    static Rows decode(ParameterPayload payload, BufferAllocator parent) {
        if (payload.isEmpty()) {
            return Rows.NONE;
        }
        try (ParameterDecoder decoder = new ParameterDecoder(parent, payload.size())) {
            for (Flight.FlightData message : payload.messages()) {
                decoder.accept(message);
            }
            VectorSchemaRoot root = decoder.root;
            boolean hasFields = root != null && !root.getFieldVectors().isEmpty();
            return new Rows(decoder.rows, hasFields);
        } catch (GatewayException e) {
            throw e;
        } catch (OutOfMemoryException e) {
            throw new GatewayException(GatewayErrorCode.TOO_LARGE, "The parameters take too much memory decoded.");
        } catch (IOException | RuntimeException e) {
            throw new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The parameters are not a valid Arrow stream.",
                    ErrorDetails.NONE,
                    e);
        }
    }

    /**
     * Decoded parameters.
     *
     * @param values one list per row
     * @param bound whether the client sent parameters at all: zero rows of some columns are not the same as none
     */
    record Rows(List<List<@Nullable Object>> values, boolean bound) {
        static final Rows NONE = new Rows(List.of(), false);
    }

    private void accept(Flight.FlightData data) throws IOException {
        if (data.getDataHeader().isEmpty()) {
            return;
        }
        ByteBuffer header = ByteBuffer.wrap(data.getDataHeader().toByteArray());
        MessageMetadataResult message = MessageMetadataResult.create(header, header.remaining());
        switch (message.headerType()) {
            case MessageHeader.Schema -> open(MessageSerializer.deserializeSchema(message));
            case MessageHeader.DictionaryBatch -> loadDictionary(message, body(data.getDataBody()));
            case MessageHeader.RecordBatch -> loadBatch(message, body(data.getDataBody()));
            default -> throw FlightErrors.invalidRequest("The parameters hold a message of an unknown kind.");
        }
    }

    private void open(Schema schema) {
        if (root != null) {
            throw FlightErrors.invalidRequest("The parameters hold two schemas.");
        }
        List<Field> fields = new ArrayList<>();
        for (Field field : schema.getFields()) {
            fields.add(DictionaryUtility.toMemoryFormat(field, allocator, dictionaries));
        }
        root = VectorSchemaRoot.create(new Schema(fields), allocator);
    }

    private VectorSchemaRoot root() {
        if (root == null) {
            throw FlightErrors.invalidRequest("The parameters hold a batch before the schema.");
        }
        return root;
    }

    private ArrowBuf body(ByteString bytes) {
        ArrowBuf body = allocator.buffer(Math.max(1, bytes.size()));
        bodies.add(body);
        body.setBytes(0, bytes.asReadOnlyByteBuffer());
        body.writerIndex(bytes.size());
        // Decoding gives one reference back, and loses it when it fails halfway: close() evens that out.
        body.getReferenceManager().retain();
        return body;
    }

    private void loadDictionary(MessageMetadataResult message, ArrowBuf body) throws IOException {
        try (ArrowDictionaryBatch batch = MessageSerializer.deserializeDictionaryBatch(message, body)) {
            Dictionary dictionary = dictionaries.get(batch.getDictionaryId());
            if (dictionary == null) {
                throw FlightErrors.invalidRequest("The parameters hold a dictionary that the schema does not name.");
            }
            FieldVector vector = dictionary.getVector();
            VectorSchemaRoot dictionaryRoot = new VectorSchemaRoot(List.of(vector.getField()), List.of(vector), 0);
            new VectorLoader(dictionaryRoot).load(batch.getDictionary());
            validate(vector);
        }
    }

    private void loadBatch(MessageMetadataResult message, ArrowBuf body) throws IOException {
        VectorSchemaRoot target = root();
        try (ArrowRecordBatch batch = MessageSerializer.deserializeRecordBatch(message, body)) {
            if (rows.size() + (long) batch.getLength() > FlightSqlSettings.MAX_PARAMETER_ROWS) {
                throw new GatewayException(
                        GatewayErrorCode.TOO_LARGE,
                        "One execution takes at most " + FlightSqlSettings.MAX_PARAMETER_ROWS
                                + " rows of parameters; send them in several.",
                        ErrorDetails.ofLimit(
                                "query", "parameter rows", Integer.toString(FlightSqlSettings.MAX_PARAMETER_ROWS)));
            }
            new VectorLoader(target).load(batch);
        }
        for (FieldVector vector : target.getFieldVectors()) {
            if (vector.getValueCount() != target.getRowCount()) {
                throw FlightErrors.invalidRequest("The parameters' columns differ in length.");
            }
            validate(vector);
        }
        if (target.getFieldVectors().isEmpty()) {
            return;
        }
        for (int row = 0; row < target.getRowCount(); row++) {
            List<@Nullable Object> cells =
                    new ArrayList<>(target.getFieldVectors().size());
            for (FieldVector vector : target.getFieldVectors()) {
                cells.add(value(vector, row));
            }
            rows.add(cells);
        }
    }

    private static void validate(FieldVector vector) {
        vector.accept(new ValidateVectorBufferVisitor(), null);
        if (!isSound(vector)) {
            throw FlightErrors.invalidRequest("The parameters are not a valid Arrow stream.");
        }
    }

    /** What Arrow's check of the buffers leaves open: offsets that go back or below zero, and the lengths of views. */
    private static boolean isSound(FieldVector vector) {
        int count = vector.getValueCount();
        boolean sound = true;
        if (vector instanceof BaseVariableWidthVector || vector instanceof ListVector) {
            ArrowBuf offsets = vector.getOffsetBuffer();
            sound = count == 0 || offsets.getInt(0) >= 0;
            for (long index = 0; index < count && sound; index++) {
                sound = offsets.getInt(index * 4) <= offsets.getInt((index + 1) * 4);
            }
        } else if (vector instanceof BaseLargeVariableWidthVector || vector instanceof LargeListVector) {
            ArrowBuf offsets = vector.getOffsetBuffer();
            sound = count == 0 || offsets.getLong(0) >= 0;
            for (long index = 0; index < count && sound; index++) {
                sound = offsets.getLong(index * 8) <= offsets.getLong((index + 1) * 8);
            }
        } else if (vector instanceof BaseVariableWidthViewVector views) {
            long bytes = views.getDataBuffers().stream()
                    .mapToLong(ArrowBuf::capacity)
                    .sum();
            for (int index = 0; index < count && sound; index++) {
                int length = views.getValueLength(index);
                sound = length >= 0 && length <= Math.max(bytes, BaseVariableWidthViewVector.INLINE_SIZE);
            }
        }
        return sound && vector.getChildrenFromFields().stream().allMatch(ParameterDecoder::isSound);
    }

    private @Nullable Object value(FieldVector vector, int row) {
        var encoding = vector.getField().getDictionary();
        if (encoding == null) {
            return values.get(vector, row);
        }
        Dictionary dictionary = dictionaries.get(encoding.getId());
        if (dictionary == null || vector.isNull(row)) {
            return null;
        }
        long index = ((BaseIntVector) vector).getValueAsLong(row);
        if (index < 0 || index >= dictionary.getVector().getValueCount()) {
            throw FlightErrors.invalidRequest(
                    "Parameter " + vector.getName() + " refers to a value that its dictionary does not have.");
        }
        return values.get(dictionary.getVector(), (int) index);
    }

    @Override
    public void close() {
        if (root != null) {
            root.close();
        }
        dictionaries.values().forEach(dictionary -> dictionary.getVector().close());
        for (ArrowBuf body : bodies) {
            int references = body.refCnt();
            if (references > 0) {
                body.getReferenceManager().release(references);
            }
        }
        allocator.close();
    }
}
