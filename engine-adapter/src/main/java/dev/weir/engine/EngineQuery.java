package dev.weir.engine;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One statement to describe or run.
 *
 * @param queryId for logs; unique within the gateway
 * @param sql one statement
 * @param access what the caller's role permits; READ runs in a read-only transaction
 * @param settings session settings applied to the fresh connection
 * @param parameterRows positional parameters. Empty for none; one row for a read; several rows run a changing
 *     statement once per row in one transaction, the counts summed. Values are null, Boolean, Byte, Short, Integer,
 *     Long, BigInteger, Float, Double, BigDecimal, String, byte[], UUID, LocalDate, LocalTime, LocalDateTime,
 *     OffsetDateTime, Duration or List of these. A wrong count or type fails with INVALID_PARAMETER
 * @param batchRows most rows in a batch, 1 to 122,880
 * @param context for whom it runs, and within what
 */
public record EngineQuery(
        String queryId,
        String sql,
        Access access,
        SessionSettings settings,
        List<? extends List<? extends @Nullable Object>> parameterRows,
        int batchRows,
        QueryContext context) {

    /** 30k to 122,880 rows a batch were measured equally fast; this keeps a wide row under the 16 MiB message limit. */
    public static final int DEFAULT_BATCH_ROWS = 32_768;

    public EngineQuery {
        Objects.requireNonNull(queryId);
        Objects.requireNonNull(sql);
        Objects.requireNonNull(access);
        Objects.requireNonNull(settings);
        Objects.requireNonNull(parameterRows);
        Objects.requireNonNull(context);
        if (batchRows < 1 || batchRows > 122_880) {
            throw new IllegalArgumentException("batchRows must be 1 to 122880, was " + batchRows);
        }
    }

    /** A statement without a context. */
    public EngineQuery(
            String queryId,
            String sql,
            Access access,
            SessionSettings settings,
            List<? extends List<? extends @Nullable Object>> parameterRows,
            int batchRows) {
        this(queryId, sql, access, settings, parameterRows, batchRows, QueryContext.NONE);
    }

    /** A read without parameters under default settings. */
    public static EngineQuery read(String queryId, String sql) {
        return new EngineQuery(queryId, sql, Access.READ, SessionSettings.NONE, List.of(), DEFAULT_BATCH_ROWS);
    }
}
