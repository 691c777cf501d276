package dev.weir.gateway.flightsql;

import dev.weir.admission.Priority;
import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.unit.DataSize;

/**
 * The limits a caller asks for, from gRPC headers, JDBC URL parameters (the driver sends unknown ones as lower-case
 * headers) or session options.
 *
 * @param statementTimeout {@code weir-timeout}
 * @param queueTimeout {@code weir-queue-timeout}
 * @param memoryBytes {@code weir-memory}
 * @param heavy {@code weir-class: heavy}
 * @param priority {@code weir-priority}
 * @param partitions {@code weir-partitions}: over how many endpoints a result may come
 * @param batchNumbers {@code weir-batch-numbers}: whether each batch tells its number
 * @param compression {@code weir-compression}: of the buffers of a result
 */
record RequestOptions(
        Optional<Duration> statementTimeout,
        Optional<Duration> queueTimeout,
        OptionalLong memoryBytes,
        boolean heavy,
        Optional<Priority> priority,
        OptionalInt partitions,
        boolean batchNumbers,
        Optional<BufferCompression> compression) {

    static final String TIMEOUT = "weir-timeout";
    static final String QUEUE_TIMEOUT = "weir-queue-timeout";
    static final String MEMORY = "weir-memory";
    static final String CLASS = "weir-class";
    static final String PRIORITY = "weir-priority";
    static final String PARTITIONS = "weir-partitions";
    static final String BATCH_NUMBERS = "weir-batch-numbers";
    static final String COMPRESSION = "weir-compression";
    static final List<String> NAMES =
            List.of(TIMEOUT, QUEUE_TIMEOUT, MEMORY, CLASS, PRIORITY, PARTITIONS, BATCH_NUMBERS, COMPRESSION);
    static final RequestOptions NONE = new RequestOptions(
            Optional.empty(),
            Optional.empty(),
            OptionalLong.empty(),
            false,
            Optional.empty(),
            OptionalInt.empty(),
            false,
            Optional.empty());

    private static final String HEAVY = "heavy";
    private static final Map<String, Metadata.Key<String>> KEYS = keys();
    private static final String DURATION = "a positive duration with unit, for example 500ms, 30s, 5m or PT30S";

    /** Options in the headers of a call. */
    static RequestOptions of(Metadata headers) {
        RequestOptions options = NONE;
        for (Map.Entry<String, Metadata.Key<String>> key : KEYS.entrySet()) {
            String value = headers.get(key.getValue());
            if (value != null) {
                options = options.with(key.getKey(), value);
            }
        }
        return options;
    }

    /** This with one option set from text; null or empty text takes it away. */
    RequestOptions with(String name, @Nullable String text) {
        Draft draft = new Draft(this);
        draft.set(name, text == null || text.isBlank() ? null : text.strip());
        return draft.done();
    }

    /** One option as text that {@link #with} takes; null when it is not set. */
    @Nullable
    String text(String name) {
        return switch (name) {
            case TIMEOUT -> statementTimeout.map(Duration::toString).orElse(null);
            case QUEUE_TIMEOUT -> queueTimeout.map(Duration::toString).orElse(null);
            case MEMORY -> memoryBytes.isPresent() ? memoryBytes.getAsLong() + "B" : null;
            case CLASS -> heavy ? HEAVY : null;
            case PRIORITY ->
                priority.map(value -> value.name().toLowerCase(Locale.ROOT)).orElse(null);
            case PARTITIONS -> partitions.isPresent() ? Integer.toString(partitions.getAsInt()) : null;
            case BATCH_NUMBERS -> batchNumbers ? "true" : null;
            case COMPRESSION -> compression.map(BufferCompression::toString).orElse(null);
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** These options, and those of {@code other} where this asks for nothing. */
    RequestOptions or(RequestOptions other) {
        return new RequestOptions(
                statementTimeout.or(other::statementTimeout),
                queueTimeout.or(other::queueTimeout),
                memoryBytes.isPresent() ? memoryBytes : other.memoryBytes,
                heavy || other.heavy,
                priority.or(other::priority),
                partitions.isPresent() ? partitions : other.partitions,
                batchNumbers || other.batchNumbers,
                compression.or(other::compression));
    }

    private static Map<String, Metadata.Key<String>> keys() {
        Map<String, Metadata.Key<String>> keys = new LinkedHashMap<>();
        NAMES.forEach(name -> keys.put(name, Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER)));
        return keys;
    }

    private static boolean heavy(@Nullable String text) {
        if (text == null || text.equals(HEAVY)) {
            return text != null;
        }
        throw invalid(CLASS, HEAVY);
    }

    private static Optional<Priority> priority(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        return switch (text) {
            case "high" -> Optional.of(Priority.HIGH);
            case "normal" -> Optional.of(Priority.NORMAL);
            case "low" -> Optional.of(Priority.LOW);
            default -> throw invalid(PRIORITY, "high, normal or low");
        };
    }

    private static Optional<Duration> duration(String name, @Nullable String trimmed) {
        if (trimmed == null) {
            return Optional.empty();
        }
        try {
            // A number without unit would be read as milliseconds, which nobody who forgets the unit means.
            if (!trimmed.isEmpty() && Character.isLetter(trimmed.charAt(trimmed.length() - 1))) {
                Duration value = DurationStyle.detectAndParse(trimmed);
                if (!value.isZero() && !value.isNegative() && value.toNanos() > 0) {
                    return Optional.of(value);
                }
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(name, DURATION);
        }
        throw invalid(name, DURATION);
    }

    private static OptionalLong size(String name, @Nullable String text) {
        if (text == null) {
            return OptionalLong.empty();
        }
        try {
            long bytes = DataSize.parse(text.toUpperCase(Locale.ROOT)).toBytes();
            if (bytes > 0) {
                return OptionalLong.of(bytes);
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(name, "a positive size with unit, for example 512MB");
        }
        throw invalid(name, "a positive size with unit, for example 512MB");
    }

    private static OptionalInt count(String name, @Nullable String text) {
        if (text == null) {
            return OptionalInt.empty();
        }
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return OptionalInt.of(value);
            }
        } catch (NumberFormatException e) {
            throw invalid(name, "a whole number, 1 or more");
        }
        throw invalid(name, "a whole number, 1 or more");
    }

    private static boolean flag(String name, @Nullable String text) {
        if (text == null || text.equals("false")) {
            return false;
        }
        if (text.equals("true")) {
            return true;
        }
        throw invalid(name, "true or false");
    }

    private static Optional<BufferCompression> compression(@Nullable String text) {
        Optional<BufferCompression> named = text == null ? Optional.empty() : BufferCompression.of(text);
        if (text != null && named.isEmpty()) {
            throw invalid(COMPRESSION, BufferCompression.NAMES);
        }
        return named;
    }

    private static GatewayException invalid(String name, String expected) {
        return new GatewayException(
                GatewayErrorCode.INVALID_REQUEST, "The value of " + name + " must be " + expected + ".");
    }

    /** Options while one of them is set. */
    private static final class Draft {
        private Optional<Duration> statementTimeout;
        private Optional<Duration> queueTimeout;
        private OptionalLong memoryBytes;
        private boolean heavy;
        private Optional<Priority> priority;
        private OptionalInt partitions;
        private boolean batchNumbers;
        private Optional<BufferCompression> compression;

        Draft(RequestOptions from) {
            this.statementTimeout = from.statementTimeout;
            this.queueTimeout = from.queueTimeout;
            this.memoryBytes = from.memoryBytes;
            this.heavy = from.heavy;
            this.priority = from.priority;
            this.partitions = from.partitions;
            this.batchNumbers = from.batchNumbers;
            this.compression = from.compression;
        }

        void set(String name, @Nullable String given) {
            switch (name) {
                case TIMEOUT -> statementTimeout = duration(name, given);
                case QUEUE_TIMEOUT -> queueTimeout = duration(name, given);
                case MEMORY -> memoryBytes = size(name, given);
                case CLASS -> heavy = RequestOptions.heavy(given);
                case PRIORITY -> priority = RequestOptions.priority(given);
                case PARTITIONS -> partitions = count(name, given);
                case BATCH_NUMBERS -> batchNumbers = flag(name, given);
                case COMPRESSION -> compression = RequestOptions.compression(given);
                default -> throw new IllegalArgumentException(name);
            }
        }

        RequestOptions done() {
            return new RequestOptions(
                    statementTimeout,
                    queueTimeout,
                    memoryBytes,
                    heavy,
                    priority,
                    partitions,
                    batchNumbers,
                    compression);
        }
    }
}
