package dev.weir.engine;

import java.util.Objects;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * One bulk ingest to run.
 *
 * @param queryId for logs; unique within the gateway
 * @param schema of the rows as the stream's schema message has it: dictionary-encoded fields have their values' type
 * @param access what the caller's role permits
 * @param settings session settings applied to a fresh connection
 * @param context for whom it runs, and within what
 */
public record EngineIngest(
        String queryId,
        IngestTarget target,
        IngestMode mode,
        Schema schema,
        Access access,
        SessionSettings settings,
        QueryContext context) {

    public EngineIngest {
        Objects.requireNonNull(queryId);
        Objects.requireNonNull(target);
        Objects.requireNonNull(mode);
        Objects.requireNonNull(schema);
        Objects.requireNonNull(access);
        Objects.requireNonNull(settings);
        Objects.requireNonNull(context);
    }
}
