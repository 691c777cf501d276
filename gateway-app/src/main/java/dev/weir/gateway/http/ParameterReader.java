package dev.weir.gateway.http;

import static dev.weir.gateway.http.Options.invalid;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Values for a statement's parameters. A JSON value stands for itself; {@code {"type": "DATE", "value": "2024-01-31"}}
 * for a value of a type that JSON has not.
 */
final class ParameterReader {

    /** Digits of the engine's largest decimal. */
    private static final int MAX_DIGITS = 38;

    /** Characters of a typed value other than text and binary. */
    private static final int MAX_TEXT = 100;

    /** Readers of a typed value's text, by type. */
    private static final Map<String, Function<String, Object>> TYPES = Map.ofEntries(
            Map.entry("BOOLEAN", ParameterReader::bool),
            Map.entry("TINYINT", Byte::valueOf),
            Map.entry("SMALLINT", Short::valueOf),
            Map.entry("INTEGER", Integer::valueOf),
            Map.entry("BIGINT", Long::valueOf),
            Map.entry("HUGEINT", BigInteger::new),
            Map.entry("FLOAT", ParameterReader::single),
            Map.entry("DOUBLE", ParameterReader::real),
            Map.entry("DECIMAL", ParameterReader::decimal),
            Map.entry("VARCHAR", text -> text),
            Map.entry("BLOB", text -> Base64.getDecoder().decode(text)),
            Map.entry("UUID", ParameterReader::uuid),
            Map.entry("DATE", LocalDate::parse),
            Map.entry("TIME", LocalTime::parse),
            Map.entry("TIMESTAMP", text -> LocalDateTime.parse(text.replace(' ', 'T'))),
            Map.entry("TIMESTAMPTZ", text -> OffsetDateTime.parse(text.replace(' ', 'T'))),
            Map.entry("INTERVAL", Duration::parse));

    private ParameterReader() {}

    static List<@Nullable Object> values(JsonNode array) {
        List<@Nullable Object> values = new ArrayList<>(array.size());
        for (JsonNode value : array) {
            values.add(value(value, values.size() + 1));
        }
        return values;
    }

    private static @Nullable Object value(JsonNode value, int position) {
        if (value.isNull()) {
            return null;
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isString()) {
            return value.stringValue();
        }
        if (value.isIntegralNumber()) {
            BigInteger exact = value.bigIntegerValue();
            return exact.bitLength() < Long.SIZE ? (Object) exact.longValue() : exact;
        }
        if (value.isNumber()) {
            return fraction(value.decimalValue(), position);
        }
        if (value.isArray()) {
            List<@Nullable Object> list = new ArrayList<>(value.size());
            for (JsonNode element : value) {
                list.add(value(element, position));
            }
            return list;
        }
        return typed(value, position);
    }

    /** Exact when the engine has a decimal for it: plain digits, 38 at most. */
    private static Object fraction(BigDecimal number, int position) {
        if (number.scale() >= 0 && number.scale() <= MAX_DIGITS && number.precision() <= MAX_DIGITS) {
            return number;
        }
        double approximate = number.doubleValue();
        if (Double.isInfinite(approximate)) {
            throw invalid("Parameter " + position + " is beyond the range of a DOUBLE; infinity itself is"
                    + " {\"type\": \"DOUBLE\", \"value\": \"Infinity\"}.");
        }
        return approximate;
    }

    private static @Nullable Object typed(JsonNode object, int position) {
        JsonNode type = object.get("type");
        JsonNode value = object.get("value");
        if (type == null || value == null || !type.isString() || object.size() != 2) {
            throw invalid("Parameter " + position + " is an object, but not of the form"
                    + " {\"type\": \"DATE\", \"value\": \"2024-01-31\"}.");
        }
        String name = type.stringValue().toUpperCase(Locale.ROOT);
        Function<String, Object> reader = TYPES.get(name.equals("TIMESTAMP WITH TIME ZONE") ? "TIMESTAMPTZ" : name);
        if (reader == null) {
            throw invalid("Parameter " + position + " has an unknown type; known are "
                    + String.join(", ", TYPES.keySet().stream().sorted().toList()) + ".");
        }
        if (value.isNull()) {
            return null;
        }
        if (value.isContainer()) {
            throw invalid("The value of parameter " + position + " must be a string.");
        }
        String text = value.asString();
        boolean any = name.equals("VARCHAR") || name.equals("BLOB");
        try {
            // No other value is longer, and digits without end would keep the parser busy.
            if (any || text.length() <= MAX_TEXT) {
                return reader.apply(text);
            }
        } catch (IllegalArgumentException | ArithmeticException | DateTimeException e) {
            throw invalid("Parameter " + position + " is no " + name + "; see the types table of the HTTP API.");
        }
        throw invalid("The value of parameter " + position + " is too long for " + name + ".");
    }

    private static Object bool(String text) {
        return switch (text) {
            case "true" -> Boolean.TRUE;
            case "false" -> Boolean.FALSE;
            default -> throw new IllegalArgumentException();
        };
    }

    private static Object single(String text) {
        float value = Float.parseFloat(named(text));
        return finiteOrNamed(text, Float.isInfinite(value), value);
    }

    private static Object real(String text) {
        double value = Double.parseDouble(named(text));
        return finiteOrNamed(text, Double.isInfinite(value), value);
    }

    /** Digits beyond the range of the type are a mistake; infinity has a name. */
    private static Object finiteOrNamed(String text, boolean infinite, Object value) {
        if (infinite && !text.endsWith("Infinity")) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    /** Java's number parser also takes "1d" and hexadecimal; SQL users mean neither. */
    private static String named(String text) {
        if (!text.matches("-?Infinity|NaN|[-+]?[0-9.]+([eE][-+]?[0-9]+)?")) {
            throw new IllegalArgumentException();
        }
        return text;
    }

    private static Object decimal(String text) {
        BigDecimal number = new BigDecimal(text);
        if (number.precision() > MAX_DIGITS || number.scale() > MAX_DIGITS || number.scale() < -MAX_DIGITS) {
            throw new IllegalArgumentException();
        }
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    /** UUID.fromString takes short groups; a UUID has 36 characters. */
    private static Object uuid(String text) {
        if (text.length() != 36) {
            throw new IllegalArgumentException();
        }
        return UUID.fromString(text);
    }
}
