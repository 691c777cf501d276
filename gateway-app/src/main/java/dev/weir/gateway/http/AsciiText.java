package dev.weir.gateway.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A reusable buffer of ASCII text. One thread at a time. */
final class AsciiText {

    private byte[] bytes = new byte[64];
    private int length;

    byte[] bytes() {
        return bytes;
    }

    int length() {
        return length;
    }

    AsciiText clear() {
        length = 0;
        return this;
    }

    AsciiText put(char c) {
        if (length == bytes.length) {
            bytes = Arrays.copyOf(bytes, length * 2);
        }
        bytes[length++] = (byte) c;
        return this;
    }

    AsciiText put(String text) {
        for (int i = 0; i < text.length(); i++) {
            put(text.charAt(i));
        }
        return this;
    }

    AsciiText put(long value) {
        if (value >= 0 && value < 10) {
            return put((char) ('0' + value));
        }
        return put(Long.toString(value));
    }

    /** A number that is not negative, with leading zeros up to {@code digits}. */
    AsciiText padded(long value, int digits) {
        long limit = 10;
        for (int i = 1; i < digits; i++) {
            if (value < limit) {
                put('0');
            }
            limit *= 10;
        }
        return put(value);
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
