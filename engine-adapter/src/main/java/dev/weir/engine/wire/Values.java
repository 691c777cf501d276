package dev.weir.engine.wire;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parameters in JSON: null, or an object whose one name is the type and whose value is a text (so that no number loses
 * digits, scale or kind), or for a list an array. Equal values come out as went in, to the last bit but NaN's payload.
 */
final class Values {

    private static final int MAX_DEPTH = 200;
    private static final String LIST = "list";
    private static final String BYTES = "bytes";

    private static final Map<Class<?>, String> NAMES = Map.ofEntries(
            Map.entry(Boolean.class, "boolean"),
            Map.entry(Byte.class, "byte"),
            Map.entry(Short.class, "short"),
            Map.entry(Integer.class, "int"),
            Map.entry(Long.class, "long"),
            Map.entry(BigInteger.class, "integer"),
            Map.entry(Float.class, "float"),
            Map.entry(Double.class, "double"),
            Map.entry(BigDecimal.class, "decimal"),
            Map.entry(String.class, "text"),
            Map.entry(UUID.class, "uuid"),
            Map.entry(LocalDate.class, "date"),
            Map.entry(LocalTime.class, "time"),
            Map.entry(LocalDateTime.class, "datetime"),
            Map.entry(OffsetDateTime.class, "offset"),
            Map.entry(Duration.class, "duration"));

    private static final Map<String, Function<String, Object>> READERS = Map.ofEntries(
            Map.entry("boolean", Boolean::valueOf),
            Map.entry("byte", Byte::valueOf),
            Map.entry("short", Short::valueOf),
            Map.entry("int", Integer::valueOf),
            Map.entry("long", Long::valueOf),
            Map.entry("integer", BigInteger::new),
            Map.entry("float", Float::valueOf),
            Map.entry("double", Double::valueOf),
            Map.entry("decimal", BigDecimal::new),
            Map.entry("text", text -> text),
            Map.entry("uuid", UUID::fromString),
            Map.entry("date", LocalDate::parse),
            Map.entry("time", LocalTime::parse),
            Map.entry("datetime", LocalDateTime::parse),
            Map.entry("offset", OffsetDateTime::parse),
            Map.entry("duration", Duration::parse));

    private Values() {}

    static List<JsonNode> write(List<? extends @Nullable Object> row) {
        List<JsonNode> written = new ArrayList<>(row.size());
        for (int i = 0; i < row.size(); i++) {
            written.add(write(row.get(i), i + 1, 0));
        }
        return written;
    }

    private static JsonNode write(@Nullable Object value, int position, int depth) {
        if (value == null) {
            return Json.NODES.nullNode();
        }
        ObjectNode node = Json.NODES.objectNode();
        if (value instanceof List<?> list) {
            if (depth >= MAX_DEPTH) {
                throw invalid(position, "is nested too deep");
            }
            ArrayNode elements = node.putArray(LIST);
            for (Object element : list) {
                elements.add(write(element, position, depth + 1));
            }
            return node;
        }
        if (value instanceof byte[] bytes) {
            return node.put(BYTES, bytes);
        }
        String name = NAMES.get(value.getClass());
        if (name == null) {
            throw invalid(
                    position,
                    "has a type that cannot be bound: " + value.getClass().getSimpleName());
        }
        return node.put(name, value.toString());
    }

    private static EngineException invalid(int position, String what) {
        return new EngineException(
                EngineFailure.INVALID_PARAMETER, "Parameter " + position + " " + what, "22023", -1, null);
    }

    static List<@Nullable Object> read(List<JsonNode> row) {
        List<@Nullable Object> values = new ArrayList<>(row.size());
        for (JsonNode node : row) {
            values.add(read(node));
        }
        return values;
    }

    private static @Nullable Object read(@Nullable JsonNode node) {
        if (node == null || node.isNull()) {
            return null;
        }
        Map.Entry<String, JsonNode> entry = node.properties().iterator().next();
        JsonNode value = entry.getValue();
        if (entry.getKey().equals(LIST)) {
            List<@Nullable Object> list = new ArrayList<>(value.size());
            for (JsonNode element : value) {
                list.add(read(element));
            }
            return list;
        }
        if (entry.getKey().equals(BYTES)) {
            return bytes(value);
        }
        Function<String, Object> reader = READERS.get(entry.getKey());
        if (reader == null) {
            throw new IllegalArgumentException("Unknown type of a parameter: " + entry.getKey());
        }
        return reader.apply(value.textValue());
    }

    private static byte[] bytes(JsonNode value) {
        try {
            return value.binaryValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
