package dev.weir.gateway.http;

import java.nio.charset.StandardCharsets;

/**
 * CSV as RFC 4180 has it, written from UTF-8 bytes. By hand, because values come as UTF-8 bytes and leave as such: a CSV
 * library would decode each to a String and encode it again.
 *
 * <p>A null is an empty field and an empty text is {@code ""}. Texts that a spreadsheet might take for a formula are left
 * as they are: escaping them would change data.
 */
final class CsvOutput {

    private static final int BUFFER_BYTES = 8192;

    private final ChunkOutput out;
    /** Fields are short, and a direct buffer dear to write byte by byte. */
    private final byte[] buffer = new byte[BUFFER_BYTES];

    private int buffered;

    CsvOutput(ChunkOutput out) {
        this.out = out;
    }

    void comma() {
        put((byte) ',');
    }

    void endOfLine() {
        put((byte) '\r');
        put((byte) '\n');
    }

    /** Bytes that need no quotes: digits, letters, {@code :-+./}. */
    void plain(byte[] bytes, int length) {
        put(bytes, 0, length);
    }

    void plain(String ascii) {
        for (int i = 0; i < ascii.length(); i++) {
            put((byte) ascii.charAt(i));
        }
    }

    void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        text(bytes, bytes.length);
    }

    /** UTF-8 text, quoted when it is empty or holds a comma, quote or line break. */
    void text(byte[] bytes, int length) {
        if (length > 0 && !needsQuotes(bytes, length)) {
            put(bytes, 0, length);
            return;
        }
        put((byte) '"');
        int from = 0;
        for (int i = 0; i < length; i++) {
            if (bytes[i] == '"') {
                // With the quote itself, which then is written again.
                put(bytes, from, i + 1 - from);
                from = i;
            }
        }
        put(bytes, from, length - from);
        put((byte) '"');
    }

    private static boolean needsQuotes(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            byte b = bytes[i];
            if (b == ',' || b == '"' || b == '\n' || b == '\r') {
                return true;
            }
        }
        return false;
    }

    /** Hands what is buffered to the chunks. */
    void flush() {
        if (buffered > 0) {
            out.write(buffer, 0, buffered);
            buffered = 0;
        }
    }

    private void put(byte b) {
        if (buffered == BUFFER_BYTES) {
            flush();
        }
        buffer[buffered++] = b;
    }

    private void put(byte[] bytes, int from, int length) {
        if (length > BUFFER_BYTES - buffered) {
            flush();
            if (length >= BUFFER_BYTES) {
                out.write(bytes, from, length);
                return;
            }
        }
        System.arraycopy(bytes, from, buffer, buffered, length);
        buffered += length;
    }
}
