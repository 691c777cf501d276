package dev.weir.gateway.query;

import dev.weir.admission.Priority;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A statement to run, and what its caller asks for.
 *
 * @param front where it came from
 * @param sql one statement
 * @param parameterRows positional parameters as {@link dev.weir.engine.EngineQuery} takes them
 * @param settings of the session, or {@link SessionSettings#NONE}
 * @param statementTimeout less than the configured maximum, or empty for it; more is refused
 * @param queueTimeout likewise
 * @param memoryBytes reservation asked for, or empty for the default
 * @param priority among the user's own waiting queries
 * @param heavy declared to be no short query
 * @param tags free key-value pairs for the query log; at most 16, 64 and 256 characters. {@link #TRACE_PARENT} among
 *     them says to which trace the query belongs
 */
public record QueryRequest(
        Front front,
        String sql,
        List<? extends List<? extends @Nullable Object>> parameterRows,
        SessionSettings settings,
        Optional<Duration> statementTimeout,
        Optional<Duration> queueTimeout,
        OptionalLong memoryBytes,
        Priority priority,
        boolean heavy,
        Map<String, String> tags) {

    /** The tag, and the header on either front, with the trace context of the caller as W3C writes it. */
    public static final String TRACE_PARENT = "traceparent";

    private static final Pattern TRACE_FORM = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    /** Whether a text is a trace context that can be a tag. */
    public static boolean isTraceParent(@Nullable String text) {
        return text != null && TRACE_FORM.matcher(text).matches();
    }

    /** The same without a wish for memory. */
    QueryRequest withoutMemory() {
        return new QueryRequest(
                front,
                sql,
                parameterRows,
                settings,
                statementTimeout,
                queueTimeout,
                OptionalLong.empty(),
                priority,
                heavy,
                tags);
    }

    /** A statement with defaults. */
    public static QueryRequest of(Front front, String sql) {
        return new QueryRequest(
                front,
                sql,
                List.of(),
                SessionSettings.NONE,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                Priority.NORMAL,
                false,
                Map.of());
    }
}
