package dev.weir.engine.duckdb;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Reads one LZ4 frame into a buffer of the length that is expected. Blocks may refer to those before them, as writers in C
 * make them, which readers of single blocks refuse. Whatever the frame holds, nothing outside of the two buffers is read
 * or written; checksums are passed over, since what a buffer holds is checked anyway.
 */
final class Lz4Frame {

    private static final int MAGIC = 0x184D2204;
    private static final int BLOCK_CHECKSUMS = 0x10;
    private static final int CONTENT_SIZE = 0x08;
    private static final int DICTIONARY = 0x01;
    private static final int STORED = 0x8000_0000;
    private static final int MIN_MATCH = 4;
    /** No block expands further: a byte of a length stands for at most 255. */
    private static final int MAX_RATIO = 255;

    private final ByteBuffer in;
    private final ByteBuffer out;

    private Lz4Frame(ByteBuffer in, ByteBuffer out) {
        this.in = in.order(ByteOrder.LITTLE_ENDIAN);
        this.out = out;
    }

    /** Whether a frame of that many bytes can hold so much. */
    static boolean canHold(long frame, long plain) {
        return plain / MAX_RATIO <= frame;
    }

    /**
     * @param frame from its position to its limit
     * @param plain is filled up to its limit
     * @throws IOException when it is no frame, or one of another length
     */
    static void read(ByteBuffer frame, ByteBuffer plain) throws IOException {
        try {
            new Lz4Frame(frame, plain).read();
        } catch (RuntimeException e) {
            throw new IOException("A corrupt frame", e);
        }
        if (plain.hasRemaining()) {
            throw new IOException("A frame of another length than it says");
        }
    }

    private void read() throws IOException {
        int magic = in.getInt();
        int flags = in.get();
        if (magic != MAGIC || (flags & 0xC0) != 0x40 || (flags & DICTIONARY) != 0) {
            throw new IOException("Not a frame that is known");
        }
        // The block size, the length if it is there, and the header's checksum.
        in.position(in.position() + 2 + ((flags & CONTENT_SIZE) == 0 ? 0 : Long.BYTES));
        int end = in.limit();
        for (int size = in.getInt(); size != 0; size = in.getInt()) {
            int bytes = size & ~STORED;
            in.limit(Math.addExact(in.position(), bytes));
            if ((size & STORED) != 0) {
                out.put(in);
            } else {
                block();
            }
            in.limit(end);
            in.position(in.position() + ((flags & BLOCK_CHECKSUMS) == 0 ? 0 : Integer.BYTES));
        }
    }

    /** Sequences of literals and a match; the last one has literals only. */
    private void block() throws IOException {
        while (in.hasRemaining()) {
            int token = in.get() & 0xFF;
            int literals = length(token >>> 4);
            int place = in.position();
            out.put(out.position(), in, place, literals);
            in.position(place + literals);
            out.position(out.position() + literals);
            if (in.hasRemaining()) {
                int distance = in.getShort() & 0xFFFF;
                match(distance, Math.addExact(length(token & 0xF), MIN_MATCH));
            }
        }
    }

    private int length(int nibble) {
        int length = nibble;
        if (nibble == 0xF) {
            int more;
            do {
                more = in.get() & 0xFF;
                length = Math.addExact(length, more);
            } while (more == 0xFF);
        }
        return length;
    }

    /** Copies what lies so far back; what it copies may be what it has just written. */
    private void match(int distance, int length) throws IOException {
        int to = out.position();
        if (distance == 0 || distance > to || length > out.remaining()) {
            throw new IOException("A match outside of the frame");
        }
        int copied = 0;
        while (copied < length) {
            // All of it is a repetition of the distance, so the copy can grow with what is there.
            int step = Math.min(length - copied, distance + copied);
            out.put(to + copied, out, to - distance, step);
            copied += step;
        }
        out.position(to + length);
    }
}
