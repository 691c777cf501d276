package dev.weir.gateway.cli.table;

import org.jspecify.annotations.Nullable;

/** A value as a table shows it. */
final class Cell {

    static final String NULL = "NULL";

    private Cell() {}

    /** The text in one line, without control characters: a value must not move the cursor or send escape codes. */
    static String text(@Nullable String value) {
        if (value == null) {
            return NULL;
        }
        for (int i = 0; i < value.length(); i++) {
            if (isUnsafe(value.charAt(i))) {
                return escaped(value);
            }
        }
        return value;
    }

    private static boolean isUnsafe(char c) {
        // Controls, and the marks that reverse the direction of what follows.
        return Character.isISOControl(c)
                || (c >= '\u202a' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069')
                || c == '\u2028'
                || c == '\u2029';
    }

    private static String escaped(String value) {
        StringBuilder text = new StringBuilder(value.length() + 16);
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (isUnsafe(c)) {
                        text.append(String.format(c < 0x100 ? "\\x%02x" : "\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        return text.toString();
    }
}
