package dev.weir.gateway.query;

import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.xxhash.XXHash32;
import net.jpountz.xxhash.XXHashFactory;
import org.apache.arrow.compression.Lz4CompressionCodec;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.compression.CompressionUtil;

/**
 * Writes LZ4 frames with a fast compressor: Arrow's codec writes them too slowly to be of use. Reads as that one does. The
 * superclass puts the length before the frame, and sends a buffer as it is when its frame would not be smaller.
 *
 * <p>A frame's blocks can be read one by one, and it has no checksum but its header's. Its block size is the smallest that
 * holds all, since readers reserve as much.
 */
final class Lz4FrameCodec extends Lz4CompressionCodec {

    private static final int MAGIC = 0x184D2204;
    /** Version 1, independent blocks, neither sizes nor checksums of the contents. */
    private static final byte FLAGS = 0x60;

    private static final int HEADER_BYTES = 7;
    private static final int LENGTH_BYTES = Integer.BYTES;
    /** Set in the length of a block that is stored as it is. */
    private static final int STORED = 0x8000_0000;

    /** Of the block sizes of the format: 4 is 64 KB, and each further one four times as large. */
    private static final int SMALLEST_BLOCK = 4;

    private static final int LARGEST_BLOCK = 7;

    private static final XXHash32 HASH = XXHashFactory.fastestJavaInstance().hash32();

    private final LZ4Compressor compressor = factory().fastCompressor();

    /** With the C library where it can be loaded; what is written is of the same format without it. */
    private static LZ4Factory factory() {
        try {
            return LZ4Factory.nativeInstance();
        } catch (LinkageError | AssertionError | RuntimeException e) {
            return LZ4Factory.fastestJavaInstance();
        }
    }

    /** Leaves the given buffer open. */
    @Override
    protected ArrowBuf doCompress(BufferAllocator allocator, ArrowBuf plain) {
        long length = plain.writerIndex();
        int sizeCode = sizeCode(length);
        int blockBytes = blockBytes(sizeCode);
        ArrowBuf out = allocator.buffer(bound(length, blockBytes));
        try {
            long end = header(out, CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH, sizeCode);
            for (long start = 0; start < length; start += blockBytes) {
                end = block(plain, start, (int) Math.min(blockBytes, length - start), out, end);
            }
            out.setInt(end, 0);
            return out.writerIndex(end + LENGTH_BYTES);
        } catch (RuntimeException | Error e) {
            out.close();
            throw e;
        }
    }

    private static int sizeCode(long length) {
        int code = SMALLEST_BLOCK;
        while (code < LARGEST_BLOCK && blockBytes(code) < length) {
            code++;
        }
        return code;
    }

    private static int blockBytes(int sizeCode) {
        return 1 << (8 + 2 * sizeCode);
    }

    /** A block takes at most its own bytes and a length, but the compressor wants more room while it is at it. */
    private long bound(long length, int blockBytes) {
        long blocks = (length + blockBytes - 1) / blockBytes;
        int room = compressor.maxCompressedLength((int) Math.min(blockBytes, length));
        return CompressionUtil.SIZE_OF_UNCOMPRESSED_LENGTH + HEADER_BYTES + length + (blocks + 1) * LENGTH_BYTES + room;
    }

    private static long header(ArrowBuf out, long at, int sizeCode) {
        byte[] descriptor = {FLAGS, (byte) (sizeCode << 4)};
        int hash = HASH.hash(descriptor, 0, descriptor.length, 0);
        out.setInt(at, MAGIC);
        out.setBytes(at + Integer.BYTES, descriptor);
        out.setByte(at + Integer.BYTES + descriptor.length, (byte) (hash >>> 8));
        return at + HEADER_BYTES;
    }

    /** @return where the next one goes */
    private long block(ArrowBuf plain, long start, int bytes, ArrowBuf out, long at) {
        int room = compressor.maxCompressedLength(bytes);
        int written = compressor.compress(
                plain.nioBuffer(start, bytes), 0, bytes, out.nioBuffer(at + LENGTH_BYTES, room), 0, room);
        if (written < bytes) {
            out.setInt(at, written);
            return at + LENGTH_BYTES + written;
        }
        out.setInt(at, bytes | STORED);
        out.setBytes(at + LENGTH_BYTES, plain, start, bytes);
        return at + LENGTH_BYTES + bytes;
    }
}
