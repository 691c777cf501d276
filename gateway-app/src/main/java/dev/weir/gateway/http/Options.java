package dev.weir.gateway.http;

import dev.weir.admission.Priority;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.http.HttpHeaders;
import org.springframework.util.unit.DataSize;

/**
 * Options of a request, from the JSON body or from {@code X-Weir-*} headers. Given in both places they must be equal.
 *
 * @param waitTime see {@link Submission}
 * @param timeout statement timeout
 * @param queueTimeout longest wait for admission
 * @param rowLimit most rows of the answer
 * @param memory reservation in bytes
 * @param heavy declared to be no short query
 * @param priority among the user's own waiting queries
 * @param tags for the query log
 * @param partitions over how many calls the result shall be read
 */
record Options(
        @Nullable Duration waitTime,
        @Nullable Duration timeout,
        @Nullable Duration queueTimeout,
        @Nullable Long rowLimit,
        @Nullable Long memory,
        @Nullable Boolean heavy,
        @Nullable Priority priority,
        @Nullable Map<String, String> tags,
        @Nullable Integer partitions) {

    static final Options NONE = new Options(null, null, null, null, null, null, null, null, null);

    /** No query lives longer; and nanoseconds still fit a long. */
    private static final Duration LONGEST = Duration.ofDays(365);

    private static final int MAX_TAGS = 16;
    private static final int MAX_TAG_NAME = 64;
    private static final int MAX_TAG_VALUE = 256;

    static Options ofHeaders(HttpHeaders headers) {
        return new Options(
                preferredWait(headers),
                durationHeader(headers, "X-Weir-Timeout"),
                durationHeader(headers, "X-Weir-Queue-Timeout"),
                rowLimitHeader(headers),
                memoryHeader(headers),
                classHeader(headers),
                priorityHeader(headers),
                tagsHeader(headers),
                partitionsHeader(headers));
    }

    /** Both together. */
    Options and(Options other) {
        return new Options(
                same("wait", waitTime, other.waitTime),
                same("timeout", timeout, other.timeout),
                same("queueTimeout", queueTimeout, other.queueTimeout),
                same("rowLimit", rowLimit, other.rowLimit),
                same("memory", memory, other.memory),
                same("class", heavy, other.heavy),
                same("priority", priority, other.priority),
                same("tags", tags, other.tags),
                same("partitions", partitions, other.partitions));
    }

    private static <T> @Nullable T same(String name, @Nullable T one, @Nullable T other) {
        if (one != null && other != null && !one.equals(other)) {
            throw invalid("\"" + name + "\" and the header of that meaning differ; give one of them.");
        }
        return one != null ? one : other;
    }

    /**
     * A duration with unit ("30s", "500ms", "PT30S"), or 0.
     *
     * @param name of the key or header, for the message
     */
    static Duration duration(String name, String text) {
        String trimmed = text.strip();
        if (trimmed.equals("0")) {
            return Duration.ZERO;
        }
        // A number without unit would be read as milliseconds, which nobody who forgets the unit means.
        boolean unit = !trimmed.isEmpty() && Character.isLetter(trimmed.charAt(trimmed.length() - 1));
        try {
            if (unit) {
                Duration duration = DurationStyle.detectAndParse(trimmed);
                if (!duration.isNegative() && duration.compareTo(LONGEST) <= 0) {
                    return duration;
                }
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // Told below.
        }
        throw invalid("\"" + name + "\" must be a duration with unit, such as 30s, 500ms or PT30S.");
    }

    static Duration positive(String name, Duration duration) {
        if (duration.isZero()) {
            throw invalid("\"" + name + "\" must be more than zero.");
        }
        return duration;
    }

    static long memory(String name, String text) {
        try {
            long bytes = DataSize.parse(text.strip().toUpperCase(Locale.ROOT)).toBytes();
            if (bytes > 0) {
                return bytes;
            }
        } catch (IllegalArgumentException | ArithmeticException e) {
            // Told below.
        }
        throw invalid("\"" + name + "\" must be a size with unit, such as 512MB or 2GB.");
    }

    /** Only heavy can be declared: what is short, is learned. */
    static boolean heavy(String name, String text) {
        if (text.strip().equals("heavy")) {
            return true;
        }
        throw invalid("\"" + name + "\" can be heavy, or be left out.");
    }

    static Priority priority(String name, String text) {
        return switch (text.strip()) {
            case "high" -> Priority.HIGH;
            case "normal" -> Priority.NORMAL;
            case "low" -> Priority.LOW;
            default -> throw invalid("\"" + name + "\" must be high, normal or low.");
        };
    }

    static Map<String, String> tags(Map<String, String> tags) {
        if (tags.size() > MAX_TAGS) {
            throw invalid("\"tags\" may have " + MAX_TAGS + " entries at most.");
        }
        tags.forEach((name, value) -> {
            if (name.isEmpty() || name.length() > MAX_TAG_NAME || value.length() > MAX_TAG_VALUE) {
                throw invalid("A tag's name must have 1 to " + MAX_TAG_NAME + " characters and its value at most "
                        + MAX_TAG_VALUE + ".");
            }
        });
        return tags;
    }

    private static @Nullable Duration durationHeader(HttpHeaders headers, String name) {
        String value = headers.getFirst(name);
        return value == null ? null : positive(name, duration(name, value));
    }

    private static @Nullable Long rowLimitHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Row-Limit");
        if (value == null) {
            return null;
        }
        try {
            long limit = Long.parseLong(value.strip());
            if (limit >= 0) {
                return limit;
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw invalid("\"X-Weir-Row-Limit\" must be a whole number of rows, 0 or more.");
    }

    private static @Nullable Long memoryHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Memory");
        return value == null ? null : memory("X-Weir-Memory", value);
    }

    private static @Nullable Boolean classHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Class");
        return value == null ? null : heavy("X-Weir-Class", value);
    }

    private static @Nullable Priority priorityHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Priority");
        return value == null ? null : priority("X-Weir-Priority", value);
    }

    private static @Nullable Integer partitionsHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Partitions");
        if (value == null) {
            return null;
        }
        try {
            return partitions("X-Weir-Partitions", Integer.parseInt(value.strip()));
        } catch (NumberFormatException e) {
            throw invalid("\"X-Weir-Partitions\" must be a whole number, 1 or more.");
        }
    }

    static int partitions(String name, int count) {
        if (count < 1) {
            throw invalid("\"" + name + "\" must be a whole number, 1 or more.");
        }
        return count;
    }

    /** {@code X-Weir-Tags: name=value, name=value}. */
    private static @Nullable Map<String, String> tagsHeader(HttpHeaders headers) {
        String value = headers.getFirst("X-Weir-Tags");
        if (value == null) {
            return null;
        }
        Map<String, String> tags = new LinkedHashMap<>();
        for (String entry : value.split(",", -1)) {
            String[] pair = entry.split("=", 2);
            if (pair.length != 2 || tags.put(pair[0].strip(), pair[1].strip()) != null) {
                throw invalid("\"X-Weir-Tags\" must be name=value pairs with commas between, each name once.");
            }
        }
        return tags(tags);
    }

    /** From {@code X-Weir-Wait}, or {@code Prefer: respond-async} and {@code Prefer: wait=seconds} (RFC 7240). */
    private static @Nullable Duration preferredWait(HttpHeaders headers) {
        String own = headers.getFirst("X-Weir-Wait");
        Duration wait = own == null ? null : duration("X-Weir-Wait", own);
        boolean async = false;
        Duration preferred = null;
        for (String header : headers.getOrEmpty("Prefer")) {
            for (String preference : header.split(",", -1)) {
                String[] pair = preference.split(";", 2)[0].split("=", 2);
                String name = pair[0].strip();
                if (name.equalsIgnoreCase("respond-async")) {
                    async = true;
                } else if (name.equalsIgnoreCase("wait") && pair.length == 2) {
                    preferred = seconds(pair[1].strip());
                }
            }
        }
        if (preferred == null && async) {
            preferred = wait == null ? Duration.ZERO : wait;
        }
        return same("X-Weir-Wait", wait, preferred);
    }

    private static Duration seconds(String text) {
        try {
            long seconds = Long.parseLong(text);
            if (seconds >= 0 && seconds <= Integer.MAX_VALUE) {
                return Duration.ofSeconds(seconds);
            }
        } catch (NumberFormatException e) {
            // Told below.
        }
        throw invalid("The preference \"wait\" must be whole seconds.");
    }

    static GatewayException invalid(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, Objects.requireNonNull(message));
    }
}
