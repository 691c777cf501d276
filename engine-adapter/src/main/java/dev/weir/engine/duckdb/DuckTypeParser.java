package dev.weir.engine.duckdb;

import dev.weir.engine.duckdb.DuckType.Child;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Parses texts such as {@code STRUCT(a INTEGER, "b c" DECIMAL(18,2)[])}. Used once. */
final class DuckTypeParser {

    private final String text;
    private int at;

    DuckTypeParser(String text) {
        this.text = text;
    }

    DuckType parse() {
        DuckType type = type();
        return at == text.length() ? type : new DuckType(text.toUpperCase(Locale.ROOT), "", List.of());
    }

    private DuckType type() {
        DuckType type = base();
        while (at < text.length() && text.charAt(at) == '[') {
            int close = text.indexOf(']', at);
            if (close < 0) {
                return type;
            }
            String size = text.substring(at + 1, close);
            at = close + 1;
            type = new DuckType(size.isEmpty() ? "LIST" : "ARRAY", size, List.of(new Child("", type)));
        }
        return type;
    }

    private DuckType base() {
        if (at < text.length() && text.charAt(at) == '"') {
            return new DuckType(identifier().toUpperCase(Locale.ROOT), "", List.of());
        }
        int start = at;
        while (at < text.length() && "([,)".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String name = text.substring(start, at).trim().toUpperCase(Locale.ROOT);
        boolean brackets = at < text.length() && text.charAt(at) == '(';
        return switch (name) {
            case "STRUCT", "UNION" -> new DuckType(name, "", brackets ? children(true) : List.of());
            case "TUPLE", "MAP" -> new DuckType(name, "", brackets ? children(false) : List.of());
            default -> new DuckType(name, brackets ? arguments() : "", List.of());
        };
    }

    private List<Child> children(boolean named) {
        List<Child> children = new ArrayList<>();
        do {
            at++;
            skipSpaces();
            String name = named ? identifier() : "";
            skipSpaces();
            children.add(new Child(name, type()));
        } while (at < text.length() && text.charAt(at) == ',');
        at = Math.min(text.length(), at + 1);
        return List.copyOf(children);
    }

    /** Everything up to the closing bracket; quotes hide brackets. */
    private String arguments() {
        int start = at + 1;
        boolean quoted = false;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == '\'') {
                quoted = !quoted;
            } else if (c == ')' && !quoted) {
                return text.substring(start, at++);
            }
            at++;
        }
        return text.substring(start);
    }

    private String identifier() {
        StringBuilder name = new StringBuilder();
        if (at < text.length() && text.charAt(at) == '"') {
            at++;
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    if (at >= text.length() || text.charAt(at) != '"') {
                        return name.toString();
                    }
                    at++;
                }
                name.append(c);
            }
            return name.toString();
        }
        while (at < text.length() && text.charAt(at) != ' ') {
            name.append(text.charAt(at++));
        }
        return name.toString();
    }

    private void skipSpaces() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }
}
