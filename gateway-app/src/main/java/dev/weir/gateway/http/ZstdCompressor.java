package dev.weir.gateway.http;

import com.github.luben.zstd.EndDirective;
import com.github.luben.zstd.ZstdCompressCtx;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;

/** Zstandard at level 1, from and to direct buffers; about a megabyte of native memory for each open body. */
final class ZstdCompressor implements ChunkCompressor {

    private final ByteBufAllocator allocator;
    private final ZstdCompressCtx context = new ZstdCompressCtx().setLevel(1).setChecksum(false);

    ZstdCompressor(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    @Override
    public ByteBuf compress(ByteBuf chunk, boolean last) {
        ByteBuf out = allocator.directBuffer(chunk.readableBytes() / 2 + 64);
        try {
            ByteBuffer in = chunk.nioBuffer();
            EndDirective end = last ? EndDirective.END : EndDirective.FLUSH;
            boolean done;
            do {
                out.ensureWritable(4096);
                ByteBuffer room = out.nioBuffer(out.writerIndex(), out.writableBytes());
                done = context.compressDirectByteBufferStream(room, in, end);
                out.writerIndex(out.writerIndex() + room.position());
            } while (!done);
            ByteBuf result = out;
            out = null;
            return result;
        } finally {
            chunk.release();
            if (out != null) {
                out.release();
            }
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
