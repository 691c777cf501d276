package dev.weir.gateway.http;

import dev.weir.engine.EncodedBatch;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowDictionaryBatch;
import org.apache.arrow.vector.ipc.message.ArrowMessage;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.arrow.vector.util.DictionaryUtility;
import org.jspecify.annotations.Nullable;

/**
 * The Arrow IPC stream format. Column buffers are copied once, from the engine's memory into the chunk; so is the body of
 * a batch that came encoded, which gets a new frame and is not looked into.
 *
 * <p>Unlike ArrowStreamWriter this can stop in the middle of a batch: the batch is laid out as a list of pieces, and
 * chunks are filled from them as the connection takes bytes.
 */
final class ArrowEncoder implements ResultEncoder {

    private static final int END_OF_STREAM_LENGTH = 8;

    /** Continuation marker and length of the metadata. */
    private static final int PREFIX_LENGTH = 8;

    private static final int ALIGNMENT = 8;

    private final ChunkOutput out;
    private final Schema schema;
    private final DictionaryProvider initialDictionaries;
    private final UnaryOperator<ArrowRecordBatch> compressor;
    private final Pieces pieces = new Pieces();
    private final WriteChannel channel = new WriteChannel(pieces);
    private final Set<Long> dictionaryIds = new TreeSet<>();
    /** Content hashes of the dictionaries that the client has. */
    private final Map<Long, Integer> sent = new HashMap<>();

    private final ArrayDeque<ArrowMessage> held = new ArrayDeque<>();
    private @Nullable VectorSchemaRoot slice;
    private @Nullable EncodedBatch relayed;
    private @Nullable InputStream body;
    private long bodyLeft;

    /** @param compressor of batches that come as vectors; takes each over and gives the one to send */
    ArrowEncoder(
            ChunkOutput out,
            Schema schema,
            DictionaryProvider dictionaries,
            UnaryOperator<ArrowRecordBatch> compressor) {
        this.out = out;
        this.schema = schema;
        this.initialDictionaries = dictionaries;
        this.compressor = compressor;
    }

    @Override
    public void begin() {
        List<Field> fields = schema.getFields().stream()
                .map(field -> DictionaryUtility.toMessageFormat(field, initialDictionaries, dictionaryIds))
                .toList();
        try {
            MessageSerializer.serialize(channel, new Schema(fields, schema.getCustomMetadata()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        drainAll();
    }

    @Override
    public void batch(VectorSchemaRoot root, DictionaryProvider dictionaries, int rows) {
        VectorSchemaRoot whole = root;
        if (rows < root.getRowCount()) {
            slice = root.slice(0, rows);
            whole = slice;
        }
        try {
            dictionaries(dictionaries);
            ArrowRecordBatch batch = compressor.apply(new VectorUnloader(whole).getRecordBatch());
            held.add(batch);
            MessageSerializer.serialize(channel, batch);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void batch(EncodedBatch batch, DictionaryProvider dictionaries) {
        relayed = batch;
        bodyLeft = batch.bodyLength();
        try {
            dictionaries(dictionaries);
            frame(batch.metadata());
            body = batch.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A message's prefix, its metadata, and the padding that lets the body start at a multiple of 8. */
    private void frame(ByteBuffer metadata) {
        int padded = (metadata.remaining() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        ByteBuffer head = ByteBuffer.allocate(PREFIX_LENGTH + padded).order(ByteOrder.LITTLE_ENDIAN);
        head.putInt(MessageSerializer.IPC_CONTINUATION_TOKEN).putInt(padded).put(metadata.duplicate());
        pieces.write(head.rewind());
    }

    private void dictionaries(DictionaryProvider dictionaries) throws IOException {
        for (long id : dictionaryIds) {
            Dictionary dictionary = dictionaries.lookup(id);
            if (dictionary != null) {
                dictionary(id, dictionary.getVector());
            }
        }
    }

    /** Sends a dictionary when the client does not have it yet, or has another content of it. */
    private void dictionary(long id, FieldVector values) throws IOException {
        int hash = values.getValueCount();
        for (int i = 0; i < values.getValueCount(); i++) {
            hash = 31 * hash + values.hashCode(i);
        }
        Integer before = sent.put(id, hash);
        if (before != null && before == hash) {
            return;
        }
        VectorSchemaRoot root = new VectorSchemaRoot(List.of(values.getField()), List.of(values));
        ArrowDictionaryBatch batch = new ArrowDictionaryBatch(id, new VectorUnloader(root).getRecordBatch(), false);
        held.add(batch);
        MessageSerializer.serialize(channel, batch);
    }

    @Override
    public boolean encode() {
        if (!pieces.drainTo(out) || !drainBody()) {
            return false;
        }
        close();
        return true;
    }

    private boolean drainBody() {
        try {
            while (body != null && bodyLeft > 0) {
                if (out.hasFull()) {
                    return false;
                }
                bodyLeft -= out.writeSome(body, bodyLeft);
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void end(long rows, boolean truncated) {
        byte[] end = new byte[END_OF_STREAM_LENGTH];
        MessageSerializer.intToBytes(MessageSerializer.IPC_CONTINUATION_TOKEN, end);
        out.write(end, 0, end.length);
    }

    @Override
    public void close() {
        pieces.clear();
        for (ArrowMessage message = held.poll(); message != null; message = held.poll()) {
            try {
                message.close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        if (slice != null) {
            slice.close();
            slice = null;
        }
        body = null;
        if (relayed != null) {
            relayed.close();
            relayed = null;
        }
    }

    private void drainAll() {
        while (!pieces.drainTo(out)) {
            // A schema larger than a chunk: the output queues the full ones.
        }
    }

    /** What the serializer wrote, in order, without copying column buffers. */
    private static final class Pieces implements WritableByteChannel {

        /** Smaller writes are copied: the serializer uses its small arrays again. */
        private static final int COPY_BELOW = 1024;

        private final ArrayDeque<ByteBuffer> queue = new ArrayDeque<>();

        @Override
        public int write(ByteBuffer source) {
            int size = source.remaining();
            if (size == 0) {
                return 0;
            }
            if (source.isDirect() && size >= COPY_BELOW) {
                queue.add(source.slice());
            } else {
                queue.add(ByteBuffer.allocate(size).put(source.duplicate()).flip());
            }
            source.position(source.limit());
            return size;
        }

        /** Fills chunks until one is full or nothing is left; true for the latter. */
        boolean drainTo(ChunkOutput out) {
            while (true) {
                ByteBuffer piece = queue.peek();
                if (piece == null) {
                    return true;
                }
                out.writeSome(piece);
                if (!piece.hasRemaining()) {
                    queue.remove();
                }
                if (out.hasFull()) {
                    return queue.isEmpty();
                }
            }
        }

        void clear() {
            queue.clear();
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
