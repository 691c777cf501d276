package dev.weir.gateway.http;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A reusable buffer of ASCII text. Written without intermediate strings: it holds every number of a text format. */
final class AsciiText {

    /** Digits of the longest long. */
    private static final int MAX_DIGITS = 19;

    /** Room for the digits of a long, or for its leading zeros. */
    private static final int SCRATCH = 40;

    private static final byte[] TENS = new byte[100];
    private static final byte[] ONES = new byte[100];

    static {
        for (int i = 0; i < 100; i++) {
            TENS[i] = (byte) ('0' + i / 10);
            ONES[i] = (byte) ('0' + i % 10);
        }
    }

    private final byte[] scratch = new byte[SCRATCH];
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
        ensure(1);
        bytes[length++] = (byte) c;
        return this;
    }

    AsciiText put(String text) {
        ensure(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
        return this;
    }

    AsciiText put(long value) {
        if (value < 0) {
            if (value == Long.MIN_VALUE) {
                return put(Long.toString(value));
            }
            return put('-').digits(-value, 1);
        }
        return digits(value, 1);
    }

    /** A number that is not negative, with leading zeros up to {@code width} digits. */
    AsciiText padded(long value, int width) {
        return digits(value, width);
    }

    /** An unscaled number with the point before its last {@code scale} digits; scale is more than zero. */
    AsciiText decimal(long unscaled, int scale) {
        if (unscaled < 0) {
            put('-');
        }
        digits(Math.abs(unscaled), scale + 1);
        ensure(1);
        System.arraycopy(bytes, length - scale, bytes, length - scale + 1, scale);
        bytes[length - scale] = '.';
        length++;
        return this;
    }

    /** Two digits at a time, from the last; in int arithmetic as soon as it fits. */
    private AsciiText digits(long value, int width) {
        int at = SCRATCH;
        long large = value;
        while (large > Integer.MAX_VALUE) {
            long rest = large / 100;
            at = pair((int) (large - rest * 100), at);
            large = rest;
        }
        int small = (int) large;
        while (small >= 10) {
            int rest = small / 100;
            at = pair(small - rest * 100, at);
            small = rest;
        }
        if (small > 0 || at == SCRATCH) {
            scratch[--at] = (byte) ('0' + small);
        }
        if (scratch[at] == '0' && at < SCRATCH - 1 && SCRATCH - at > width) {
            at++;
        }
        while (SCRATCH - at < width) {
            scratch[--at] = '0';
        }
        ensure(SCRATCH - at);
        System.arraycopy(scratch, at, bytes, length, SCRATCH - at);
        length += SCRATCH - at;
        return this;
    }

    private int pair(int value, int at) {
        scratch[at - 1] = ONES[value];
        scratch[at - 2] = TENS[value];
        return at - 2;
    }

    private void ensure(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more + MAX_DIGITS));
        }
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }
}
