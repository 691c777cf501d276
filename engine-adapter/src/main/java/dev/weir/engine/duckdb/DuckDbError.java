package dev.weir.engine.duckdb;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An error as DuckDB tells it. The engine runs with errors_as_json, so most come as an object; some are still plain.
 *
 * @param type for example {@code Binder}
 * @param message without its type
 * @param subtype for example {@code COLUMN_NOT_FOUND}; may be empty
 * @param entry what is missing, for example {@code Table}; may be empty
 * @param position bytes into the text, or -1
 */
record DuckDbError(String type, String message, String subtype, String entry, int position) {

    private static final JsonFactory JSON = new JsonFactory();
    private static final Pattern PLAIN = Pattern.compile("^([A-Za-z][A-Za-z_ ]*?) Error: (.*)$", Pattern.DOTALL);

    /** What streaming leaves of an error that comes before the first row. */
    static final String LOST_TEXT = "Invalid Input Error: Invalid result set";

    static DuckDbError parse(Throwable thrown) {
        String text = thrown.getMessage() == null ? thrown.toString() : thrown.getMessage();
        int json = text.indexOf("{\"exception_type\"");
        if (json >= 0) {
            try {
                return object(text.substring(json));
            } catch (IOException e) {
                return new DuckDbError("", text, "", "", -1);
            }
        }
        String inner = text.replaceFirst("(?s)^.*CDataJniException\\{errno=-?\\d+, message=(.*)\\}$", "$1");
        Matcher plain = PLAIN.matcher(inner);
        return plain.matches()
                ? new DuckDbError(plain.group(1), plain.group(2), "", "", -1)
                : new DuckDbError("", inner, "", "", -1);
    }

    private static DuckDbError object(String json) throws IOException {
        String type = "";
        String message = "";
        String subtype = "";
        String entry = "";
        int position = -1;
        try (JsonParser parser = JSON.createParser(json)) {
            parser.nextToken();
            while (parser.nextToken() == JsonToken.FIELD_NAME) {
                String field = parser.currentName();
                parser.nextToken();
                String value = parser.getValueAsString("");
                switch (field) {
                    case "exception_type" -> type = value;
                    case "exception_message" -> message = value;
                    case "error_subtype" -> subtype = value;
                    case "type" -> entry = value;
                    case "position" -> position = number(value);
                    default -> parser.skipChildren();
                }
            }
        }
        return new DuckDbError(type, message, subtype, entry, position);
    }

    private static int number(String value) {
        try {
            return Integer.parseInt(value);
        } catch (NumberFormatException e) {
            return -1;
        }
    }
}
