package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import dev.weir.engine.Access;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EngineQuery} as it travels.
 *
 * @param parameters values as {@link Values} writes them
 * @param timeLeftMillis until its statement timeout, counted from the arrival; null for none
 * @param traceParent of the trace that it belongs to; null for none
 * @param session token of the session that it belongs to; null for none
 */
public record WireQuery(
        String queryId,
        String sql,
        Access access,
        SessionSettings settings,
        List<List<JsonNode>> parameters,
        int batchRows,
        String user,
        long memoryBytes,
        boolean shortQuery,
        @Nullable Long timeLeftMillis,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String traceParent,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String session) {

    /** @throws dev.weir.engine.EngineException INVALID_PARAMETER for a value that cannot travel */
    public static WireQuery of(EngineQuery query) {
        return of(query, null);
    }

    /**
     * A statement of a session.
     *
     * @param session its token; null for none
     */
    public static WireQuery of(EngineQuery query, @Nullable String session) {
        List<List<JsonNode>> rows = new ArrayList<>(query.parameterRows().size());
        for (List<? extends @Nullable Object> row : query.parameterRows()) {
            rows.add(Values.write(row));
        }
        QueryContext context = query.context();
        Duration left = context.timeLeft();
        return new WireQuery(
                query.queryId(),
                query.sql(),
                query.access(),
                query.settings(),
                rows,
                query.batchRows(),
                context.user(),
                context.memoryBytes(),
                context.shortQuery(),
                left == null ? null : Math.max(0, left.toMillis()),
                context.traceParent(),
                session);
    }

    /** @throws RuntimeException when it is not well-formed */
    public EngineQuery toQuery() {
        List<List<@Nullable Object>> rows = new ArrayList<>(parameters.size());
        for (List<JsonNode> row : parameters) {
            rows.add(Values.read(row));
        }
        Duration left = timeLeftMillis == null ? null : Duration.ofMillis(timeLeftMillis);
        QueryContext context = new QueryContext(user, memoryBytes, shortQuery, left, traceParent);
        return new EngineQuery(queryId, sql, access, settings, rows, batchRows, context);
    }
}
