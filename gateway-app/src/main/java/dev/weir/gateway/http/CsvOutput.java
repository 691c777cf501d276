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

    private final ChunkOutput out;
    private byte[] doubled = new byte[256];

    CsvOutput(ChunkOutput out) {
        this.out = out;
    }

    void comma() {
        out.write(',');
    }

    void endOfLine() {
        out.write('\r');
        out.write('\n');
    }

    /** Bytes that need no quotes: digits, letters, {@code :-+./}. */
    void plain(byte[] bytes, int length) {
        out.write(bytes, 0, length);
    }

    void plain(String ascii) {
        byte[] bytes = ascii.getBytes(StandardCharsets.ISO_8859_1);
        out.write(bytes, 0, bytes.length);
    }

    void text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        text(bytes, bytes.length);
    }

    /** UTF-8 text, quoted when it is empty or holds a comma, quote or line break. */
    void text(byte[] bytes, int length) {
        int quotes = 0;
        boolean quoted = length == 0;
        for (int i = 0; i < length; i++) {
            switch (bytes[i]) {
                case '"' -> quotes++;
                case ',', '\r', '\n' -> quoted = true;
                default -> {
                    // As it is.
                }
            }
        }
        if (!quoted && quotes == 0) {
            out.write(bytes, 0, length);
            return;
        }
        out.write('"');
        if (quotes == 0) {
            out.write(bytes, 0, length);
        } else {
            if (doubled.length < length + quotes) {
                doubled = new byte[Math.addExact(length, quotes)];
            }
            int at = 0;
            for (int i = 0; i < length; i++) {
                if (bytes[i] == '"') {
                    doubled[at++] = '"';
                }
                doubled[at++] = bytes[i];
            }
            out.write(doubled, 0, at);
        }
        out.write('"');
    }
}
