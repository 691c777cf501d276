package dev.weir.gateway.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.CompressionCodec;
import org.apache.arrow.vector.compression.CompressionUtil;
import org.apache.arrow.vector.compression.CompressionUtil.CodecType;
import org.apache.arrow.vector.compression.NoCompressionCodec;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * How the buffers of a result's batches are compressed on their way to a client that asked for it: each by itself, as
 * Arrow's IPC format has it.
 */
public enum BufferCompression {
    NONE(NoCompressionCodec.INSTANCE),
    ZSTD(CommonsCompressionFactory.INSTANCE.createCodec(CodecType.ZSTD, 1)),
    LZ4(new Lz4FrameCodec());

    /** The names, for messages. */
    public static final String NAMES = "none, zstd or lz4";

    private final CompressionCodec codec;

    BufferCompression(CompressionCodec codec) {
        this.codec = codec;
    }

    /** The one of a name, as {@link #toString} gives it; case does not matter. Empty when there is none. */
    public static Optional<BufferCompression> of(String name) {
        for (BufferCompression compression : values()) {
            if (compression.toString().equalsIgnoreCase(name)) {
                return Optional.of(compression);
            }
        }
        return Optional.empty();
    }

    /**
     * Compresses each buffer of a batch; one that would grow goes as it is, and is marked so.
     *
     * @param plain not compressed; taken over, also when this fails
     * @param allocator for the compressed buffers
     * @return to be closed by the caller
     */
    public ArrowRecordBatch compress(ArrowRecordBatch plain, BufferAllocator allocator) {
        if (this == NONE) {
            return plain;
        }
        List<ArrowBuf> buffers = new ArrayList<>(plain.getBuffers().size());
        try (plain) {
            for (ArrowBuf buffer : plain.getBuffers()) {
                buffers.add(compress(buffer, allocator));
            }
            return new ArrowRecordBatch(
                    plain.getLength(),
                    plain.getNodes(),
                    buffers,
                    CompressionUtil.createBodyCompression(codec),
                    plain.getVariadicBufferCounts(),
                    true,
                    false);
        } catch (RuntimeException | Error e) {
            buffers.forEach(ArrowBuf::close);
            throw e;
        }
    }

    private ArrowBuf compress(ArrowBuf buffer, BufferAllocator allocator) {
        // The codec closes what it has compressed, and leaves it open when it fails.
        buffer.getReferenceManager().retain();
        try {
            return codec.compress(allocator, buffer);
        } catch (RuntimeException | Error e) {
            buffer.close();
            throw e;
        }
    }

    /** Its name in options and headers. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
