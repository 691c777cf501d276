package dev.weir.gateway.cli.query;

import com.google.errorprone.annotations.Var;
import dev.weir.gateway.cli.table.TablePrinter;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a JSON result row by row: an object with {@code columns} (objects with name and type) and, after them,
 * {@code data} (arrays of values); or with {@code updateCount} alone. Other members are skipped.
 */
final class JsonRows {

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxDocumentLength(-1)
                    .maxTokenCount(-1)
                    .build())
            .build();

    private static final Pattern NUMERIC =
            Pattern.compile("(U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|U?INTEGER|DECIMAL.*|DOUBLE|FLOAT)");

    private JsonRows() {}

    /**
     * Prints a result as a table.
     *
     * @param maxWidth of a value, in columns of the terminal; 0 for any
     * @throws IOException when the result ends before it is complete, or {@code out} fails
     */
    static void print(InputStream in, Appendable out, int maxWidth) throws IOException {
        try (JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), in)) {
            print(parser, out, maxWidth);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        } catch (JacksonIOException e) {
            throw e.getCause();
        } catch (JacksonException e) {
            throw new BrokenResultException("the result is no valid JSON", e);
        }
    }

    private static void print(JsonParser parser, Appendable out, int maxWidth) throws IOException {
        if (parser.nextToken() != JsonToken.START_OBJECT) {
            throw new BrokenResultException("the result is no JSON object", null);
        }
        @Var TablePrinter table = null;
        @Var long changed = -1;
        while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            if (name.equals("columns")) {
                table = new TablePrinter(out, columns(parser), maxWidth);
            } else if (name.equals("data") && table != null) {
                rows(parser, table);
            } else if (name.equals("updateCount")) {
                changed = parser.getLongValue();
            } else {
                parser.skipChildren();
            }
        }
        if (parser.currentToken() != JsonToken.END_OBJECT || (table == null && changed < 0)) {
            throw new BrokenResultException("the result is not complete", null);
        }
        if (table != null) {
            table.end();
        } else {
            out.append(Long.toString(changed)).append(changed == 1 ? " row changed\n" : " rows changed\n");
        }
    }

    private static List<TablePrinter.Column> columns(JsonParser parser) {
        List<TablePrinter.Column> columns = new ArrayList<>();
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            @Var String name = "";
            @Var String type = "";
            while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
                String member = parser.currentName();
                parser.nextToken();
                if (member.equals("name")) {
                    name = parser.getString();
                } else if (member.equals("type")) {
                    type = parser.getString();
                } else {
                    parser.skipChildren();
                }
            }
            columns.add(new TablePrinter.Column(name, isNumeric(type)));
        }
        return columns;
    }

    static boolean isNumeric(String type) {
        return NUMERIC.matcher(type.toUpperCase(Locale.ROOT)).matches();
    }

    private static void rows(JsonParser parser, TablePrinter table) throws IOException {
        List<@Nullable String> values = new ArrayList<>();
        @Var boolean complete = false;
        try {
            while (parser.nextToken() == JsonToken.START_ARRAY) {
                values.clear();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    values.add(value(parser));
                }
                table.row(values);
            }
            complete = true;
        } finally {
            if (!complete) {
                table.flush();
            }
        }
    }

    private static @Nullable String value(JsonParser parser) {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new UncheckedIOException(new BrokenResultException("the result ended inside a row", null));
        }
        return switch (token) {
            case VALUE_NULL -> null;
            case START_OBJECT, START_ARRAY -> nested(parser);
            default -> parser.getString();
        };
    }

    private static String nested(JsonParser parser) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
            generator.copyCurrentStructure(parser);
        }
        return text.toString();
    }

    /** The result is not what a gateway sends; unlike other failures of reading, trying again does not help. */
    static final class BrokenResultException extends IOException {

        private static final long serialVersionUID = 1L;

        BrokenResultException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }
}
