package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/** The gzip format (RFC 1952) around the platform's Deflater, which takes and gives direct buffers. */
final class GzipCompressor implements ChunkCompressor {

    private static final byte[] HEADER = {0x1f, (byte) 0x8b, Deflater.DEFLATED, 0, 0, 0, 0, 0, 0, (byte) 0xff};

    private final ByteBufAllocator allocator;
    // Fast: a result is compressed once and read once, and the network is seldom slower than level 6 is.
    private final Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    private final CRC32 crc = new CRC32();
    private boolean started;

    GzipCompressor(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public ByteBuf compress(ByteBuf chunk, boolean last) {
        int size = chunk.readableBytes();
        ByteBuf out = allocator.directBuffer(size / 2 + 64);
        try {
            if (!started) {
                started = true;
                out.writeBytes(HEADER);
            }
            ByteBuffer in = chunk.nioBuffer();
            crc.update(in.duplicate());
            deflater.setInput(in);
            if (last) {
                deflater.finish();
            }
            int flush = last ? Deflater.NO_FLUSH : Deflater.SYNC_FLUSH;
            int written;
            do {
                out.ensureWritable(4096);
                int room = out.writableBytes();
                written = deflater.deflate(out.nioBuffer(out.writerIndex(), room), flush);
                out.writerIndex(out.writerIndex() + written);
                // A sync flush is complete when it leaves room; a finish when the deflater says so.
                if (last ? deflater.finished() : written < room) {
                    break;
                }
            } while (true);
            if (last) {
                out.writeIntLE((int) crc.getValue());
                out.writeIntLE((int) deflater.getBytesRead());
            }
            ByteBuf done = out;
            out = null;
            return done;
        } finally {
            chunk.release();
            if (out != null) {
                out.release();
            }
        }
    }

    @Override
    public void close() {
        deflater.end();
    }
}
