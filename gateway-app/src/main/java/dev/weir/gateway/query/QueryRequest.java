package dev.weir.gateway.query;

import dev.weir.admission.Priority;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
 * @param tags free key-value pairs for the query log; at most 16, 64 and 256 characters
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
