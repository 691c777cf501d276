package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;

/**
 * Compresses one body chunk by chunk. Each chunk is flushed whole, so that what a client has received can be decoded
 * and memory stays at one chunk; at 256 KiB a flush costs well under a percent of the ratio.
 *
 * <p>Not the server's own compression: that one works on the event loop, where a chunk takes milliseconds that every
 * other connection waits for. Holds native memory: close it. One thread at a time.
 */
interface ChunkCompressor extends AutoCloseable {

    /**
     * @param chunk consumed and released, also when this fails
     * @param last whether the body ends with it
     * @return a new buffer; never empty
     */
    ByteBuf compress(ByteBuf chunk, boolean last);

    @Override
    void close();
}
