package dev.weir.engine.duckdb;

import org.jspecify.annotations.Nullable;

/**
 * A LIKE pattern: {@code %} for any characters, {@code _} for one, a backslash before either for itself. Case matters.
 *
 * <p>Catalog filters are matched here and not in SQL, where a pattern that ends in a backslash is an error.
 */
final class LikePattern {

    private final String pattern;

    LikePattern(String pattern) {
        this.pattern = pattern;
    }

    /** Whether a name passes a filter that may be missing. */
    static boolean matches(@Nullable String pattern, String name) {
        return pattern == null || new LikePattern(pattern).matches(name);
    }

    /** Takes at most pattern times name steps, whatever the pattern. */
    boolean matches(String name) {
        int p = 0;
        int n = 0;
        int anyAt = -1;
        int anyFrom = 0;
        while (n < name.length()) {
            if (p < pattern.length() && pattern.charAt(p) == '%') {
                anyAt = p++;
                anyFrom = n;
            } else if (p < pattern.length() && takes(p, name.charAt(n))) {
                p += width(p);
                n++;
            } else if (anyAt >= 0) {
                p = anyAt + 1;
                n = ++anyFrom;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '%') {
            p++;
        }
        return p == pattern.length();
    }

    private boolean isEscape(int p) {
        return pattern.charAt(p) == '\\' && p + 1 < pattern.length();
    }

    private int width(int p) {
        return isEscape(p) ? 2 : 1;
    }

    private boolean takes(int p, char c) {
        if (isEscape(p)) {
            return pattern.charAt(p + 1) == c;
        }
        return pattern.charAt(p) == '_' || pattern.charAt(p) == c;
    }
}
