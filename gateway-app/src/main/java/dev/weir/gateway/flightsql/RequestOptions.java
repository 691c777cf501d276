package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.grpc.Metadata;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
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
 */
record RequestOptions(Optional<Duration> statementTimeout, Optional<Duration> queueTimeout, OptionalLong memoryBytes) {

    static final String TIMEOUT = "weir-timeout";
    static final String QUEUE_TIMEOUT = "weir-queue-timeout";
    static final String MEMORY = "weir-memory";
    static final RequestOptions NONE = new RequestOptions(Optional.empty(), Optional.empty(), OptionalLong.empty());

    private static final Metadata.Key<String> TIMEOUT_KEY = key(TIMEOUT);
    private static final Metadata.Key<String> QUEUE_TIMEOUT_KEY = key(QUEUE_TIMEOUT);
    private static final Metadata.Key<String> MEMORY_KEY = key(MEMORY);
    private static final String DURATION = "a positive duration with unit, for example 500ms, 30s, 5m or PT30S";

    /** Options in the headers of a call. */
    static RequestOptions of(Metadata headers) {
        String timeout = headers.get(TIMEOUT_KEY);
        String queueTimeout = headers.get(QUEUE_TIMEOUT_KEY);
        String memory = headers.get(MEMORY_KEY);
        if (timeout == null && queueTimeout == null && memory == null) {
            return NONE;
        }
        return NONE.with(TIMEOUT, timeout).with(QUEUE_TIMEOUT, queueTimeout).with(MEMORY, memory);
    }

    /** This with one option set from text; null or empty text takes it away. */
    RequestOptions with(String name, @Nullable String text) {
        boolean none = text == null || text.isBlank();
        return switch (name) {
            case TIMEOUT ->
                new RequestOptions(none ? Optional.empty() : duration(name, text), queueTimeout, memoryBytes);
            case QUEUE_TIMEOUT ->
                new RequestOptions(statementTimeout, none ? Optional.empty() : duration(name, text), memoryBytes);
            case MEMORY ->
                new RequestOptions(statementTimeout, queueTimeout, none ? OptionalLong.empty() : size(name, text));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /** These options, and those of {@code other} where this asks for nothing. */
    RequestOptions or(RequestOptions other) {
        return new RequestOptions(
                statementTimeout.or(other::statementTimeout),
                queueTimeout.or(other::queueTimeout),
                memoryBytes.isPresent() ? memoryBytes : other.memoryBytes);
    }

    private static Optional<Duration> duration(String name, @Nullable String text) {
        String trimmed = text == null ? "" : text.strip();
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
        try {
            long bytes = DataSize.parse(text == null ? "" : text.trim().toUpperCase(Locale.ROOT))
                    .toBytes();
            if (bytes > 0) {
                return OptionalLong.of(bytes);
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw invalid(name, "a positive size with unit, for example 512MB");
        }
        throw invalid(name, "a positive size with unit, for example 512MB");
    }

    private static GatewayException invalid(String name, String expected) {
        return new GatewayException(
                GatewayErrorCode.INVALID_REQUEST, "The value of " + name + " must be " + expected + ".");
    }

    private static Metadata.Key<String> key(String name) {
        return Metadata.Key.of(name, Metadata.ASCII_STRING_MARSHALLER);
    }
}
