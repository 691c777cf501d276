package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.IngestMessage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flatbuf.BodyCompression;
import org.apache.arrow.flatbuf.BodyCompressionMethod;
import org.apache.arrow.flatbuf.Buffer;
import org.apache.arrow.flatbuf.FieldNode;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MetadataVersion;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * Makes a record batch of a message: its buffers are slices of the body, or decompressed. Every place and length is held
 * against the body; what the buffers hold is {@link BatchCheck}'s.
 */
final class BatchDecoder {

    /** A batch is at most this large when it is decompressed: a few bytes can claim any size. */
    static final long MAX_BATCH_BYTES = 256L << 20;

    /** Loaded with this class, so on a thread that sees the application's classes: DuckDB's own threads do not. */
    private static final CompressionCodec.Factory CODECS = CompressionCodec.Factory.INSTANCE;

    private final BufferAllocator allocator;

    BatchDecoder(BufferAllocator allocator) {
        this.allocator = allocator;
    }

    /** The message's flatbuffer; a corrupt one throws when it is read. */
    static Message parse(IngestMessage message) {
        Message parsed = Message.getRootAsMessage(message.metadata());
        if (parsed.version() < MetadataVersion.V4) {
            throw Upload.refused("The uploaded stream is of an Arrow format before 1.0; write it with a newer one.");
        }
        return parsed;
    }

    /** The caller closes the batch. */
    ArrowRecordBatch decode(RecordBatch given, ArrowBuf body) {
        long rows = given.length();
        if (rows < 0 || rows > Integer.MAX_VALUE - 8) {
            throw Upload.corrupt("a batch of " + rows + " rows");
        }
        CompressionCodec codec = codec(given.compression());
        List<ArrowFieldNode> nodes = nodes(given);
        List<Long> variadic = new ArrayList<>();
        for (int i = 0; i < given.variadicBufferCountsLength(); i++) {
            variadic.add(given.variadicBufferCounts(i));
        }
        // Not sized by what the message claims.
        List<ArrowBuf> buffers = new ArrayList<>();
        try {
            long total = 0;
            for (int i = 0; i < given.buffersLength(); i++) {
                ArrowBuf buffer = buffer(given.buffers(i), body, codec);
                buffers.add(buffer);
                total += buffer.writerIndex();
                if (total > MAX_BATCH_BYTES && codec != NoCompressionCodec.INSTANCE) {
                    throw tooLarge();
                }
            }
            return new ArrowRecordBatch(
                    (int) rows, nodes, buffers, NoCompressionCodec.DEFAULT_BODY_COMPRESSION, variadic, true, false);
        } catch (RuntimeException e) {
            buffers.forEach(ArrowBuf::close);
            throw e;
        }
    }

    private static List<ArrowFieldNode> nodes(RecordBatch given) {
        List<ArrowFieldNode> nodes = new ArrayList<>();
        for (int i = 0; i < given.nodesLength(); i++) {
            FieldNode node = given.nodes(i);
            nodes.add(new ArrowFieldNode(node.length(), node.nullCount()));
        }
        return nodes;
    }

    private ArrowBuf buffer(Buffer place, ArrowBuf body, CompressionCodec codec) {
        long offset = place.offset();
        long length = place.length();
        if (offset < 0 || length < 0 || offset > body.capacity() || length > body.capacity() - offset) {
            throw Upload.corrupt("a buffer lies outside of its message");
        }
        if ((offset & 7) != 0) {
            throw Upload.corrupt("a buffer is not aligned");
        }
        ArrowBuf slice = body.slice(offset, length);
        slice.getReferenceManager().retain();
        if (codec == NoCompressionCodec.INSTANCE || length == 0) {
            return slice;
        }
        try {
            return decompress(slice, codec);
        } catch (RuntimeException e) {
            slice.close();
            throw e instanceof EngineException ? e : Upload.corrupt("a buffer cannot be decompressed");
        }
    }

    /** Takes the slice over, unless it throws. */
    private ArrowBuf decompress(ArrowBuf slice, CompressionCodec codec) {
        if (slice.capacity() < CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH) {
            throw Upload.corrupt("a compressed buffer without length");
        }
        long length = slice.getLong(0);
        if (length < CompressionUtil.NO_COMPRESSION_LENGTH) {
            throw Upload.corrupt("a compressed buffer of a negative length");
        }
        if (length > MAX_BATCH_BYTES) {
            throw tooLarge();
        }
        return codec.getCodecType() == CompressionUtil.CodecType.LZ4_FRAME && length > 0
                ? lz4(slice, length)
                : codec.decompress(allocator, slice);
    }

    /** Arrow's own codec is slow, and gathers on the heap all that the frame gives, however much that is. */
    private ArrowBuf lz4(ArrowBuf slice, long length) {
        long frame = slice.capacity() - CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH;
        if (!Lz4Frame.canHold(frame, length)) {
            throw Upload.corrupt("a buffer cannot be decompressed");
        }
        ArrowBuf plain = allocator.buffer(length);
        try {
            Lz4Frame.read(
                    slice.nioBuffer(CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH, (int) frame),
                    plain.nioBuffer(0, (int) length));
        } catch (IOException | RuntimeException e) {
            plain.close();
            throw Upload.corrupt("a buffer cannot be decompressed");
        }
        plain.writerIndex(length);
        slice.close();
        return plain;
    }

    private static RuntimeException tooLarge() {
        return Upload.refused("A batch of the uploaded stream has more than " + (MAX_BATCH_BYTES >> 20)
                + " MB when it is decompressed; send smaller batches.");
    }

    private static CompressionCodec codec(BodyCompression compression) {
        if (compression == null) {
            return NoCompressionCodec.INSTANCE;
        }
        if (compression.method() != BodyCompressionMethod.BUFFER) {
            throw Upload.refused("The uploaded stream is compressed in a way that is not known here.");
        }
        try {
            return CODECS.createCodec(CompressionUtil.CodecType.fromCompressionType(compression.codec()));
        } catch (RuntimeException e) {
            throw Upload.refused("The uploaded stream is compressed in a way that is not known here.");
        }
    }
}
