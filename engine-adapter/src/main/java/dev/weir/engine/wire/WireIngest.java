package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.weir.engine.Access;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import dev.weir.engine.QueryContext;
import dev.weir.engine.SessionSettings;
import java.time.Duration;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * An {@link EngineIngest} as it travels; its schema comes beside it.
 *
 * @param timeLeftMillis until its statement timeout, counted from the arrival; null for none
 * @param traceParent of the trace that it belongs to; null for none
 * @param session token of the session that it belongs to; null for none
 */
public record WireIngest(
        String queryId,
        IngestTarget target,
        IngestMode mode,
        Access access,
        SessionSettings settings,
        String user,
        long memoryBytes,
        boolean shortQuery,
        @Nullable Long timeLeftMillis,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String traceParent,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String session) {

    /** @param session token of the session that it belongs to; null for none */
    public static WireIngest of(EngineIngest ingest, @Nullable String session) {
        QueryContext context = ingest.context();
        Duration left = context.timeLeft();
        return new WireIngest(
                ingest.queryId(),
                ingest.target(),
                ingest.mode(),
                ingest.access(),
                ingest.settings(),
                context.user(),
                context.memoryBytes(),
                context.shortQuery(),
                left == null ? null : Math.max(0, left.toMillis()),
                context.traceParent(),
                session);
    }

    /** @throws RuntimeException when it is not well-formed */
    public EngineIngest toIngest(Schema schema) {
        Duration left = timeLeftMillis == null ? null : Duration.ofMillis(timeLeftMillis);
        QueryContext context = new QueryContext(user, memoryBytes, shortQuery, left, traceParent);
        return new EngineIngest(queryId, target, mode, schema, access, settings, context);
    }
}
