package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.StatementKind;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.jspecify.annotations.Nullable;

/** Finds out why executing failed where DuckDB's first answer does not tell. */
final class Diagnosis {

    private static final String EXPLAIN = "EXPLAIN ANALYZE ";

    private final EngineCore core;
    private final ConnectionSource source;
    private final NativeScope scope;
    private final DuckDBConnection connection;
    private final EngineQuery query;
    private final ScannedStatement statement;
    private final SqlText text;
    private boolean passed;

    Diagnosis(
            EngineCore core,
            ConnectionSource source,
            NativeScope scope,
            DuckDBConnection connection,
            EngineQuery query,
            ScannedStatement statement,
            SqlText text) {
        this.core = core;
        this.source = source;
        this.scope = scope;
        this.connection = connection;
        this.query = query;
        this.statement = statement;
        this.text = text;
    }

    EngineException of(SQLException failure) {
        return of(
                failure,
                query.parameterRows().isEmpty()
                        ? List.of()
                        : query.parameterRows().get(0));
    }

    /** Whether the statement succeeded when it was run again to learn why it had failed. */
    boolean hasPassed() {
        return passed;
    }

    EngineException of(SQLException failure, List<? extends @Nullable Object> row) {
        if (source.isClientsTransaction()) {
            return elsewhere(failure, row);
        }
        EngineException translated = ErrorTranslator.translate(failure, text);
        if (DuckDbError.LOST_TEXT.equals(failure.getMessage())) {
            translated = statement.scan().kind().isRead() ? again(row) : translated;
        }
        return !row.isEmpty() && mayBeParameter(translated) ? blameParameter(translated, row) : translated;
    }

    /**
     * Finds out on a connection of its own: nothing may be tried in the client's transaction, which the failure may have
     * ended already. What that connection does not see (tables that are not committed, temporary ones) tells nothing.
     */
    private EngineException elsewhere(SQLException failure, List<? extends @Nullable Object> row) {
        EngineException plain = ErrorTranslator.translate(failure, text);
        boolean lost = DuckDbError.LOST_TEXT.equals(failure.getMessage());
        boolean told = !lost && (row.isEmpty() || !mayBeParameter(plain));
        if (told || !statement.scan().kind().isRead()) {
            return plain;
        }
        try (DuckDBConnection other = core.connections().beside(query)) {
            scope.workOn(other);
            EngineException found =
                    new Diagnosis(core, core.connections(), scope, other, query, statement, text).of(failure, row);
            return found.failure() == EngineFailure.BINDING ? plain : found;
        } catch (SQLException e) {
            return plain;
        } finally {
            scope.workOn(connection);
        }
    }

    /** A value of the wrong type shows as a data exception, or as a cast that DuckDB does not have. */
    private static boolean mayBeParameter(EngineException failure) {
        String state = String.valueOf(failure.sqlState());
        return state.startsWith("22")
                || failure.failure() == EngineFailure.BINDING
                || failure.failure() == EngineFailure.UNSUPPORTED;
    }

    /**
     * Streaming drops the text of an error that comes before the first row. The read runs again, under EXPLAIN ANALYZE
     * so that no rows pile up, through an interface of the driver that keeps the text.
     */
    private EngineException again(List<? extends @Nullable Object> row) {
        boolean explain = statement.scan().kind() == StatementKind.QUERY;
        SqlText repeated = explain ? text.wrapped(EXPLAIN, "") : text;
        try {
            restartTransaction();
            try (DuckDBPreparedStatement prepared = connection.prepare(repeated.sql())) {
                Parameters.bind(connection, prepared, row);
                prepared.query();
            }
        } catch (SQLException e) {
            return ErrorTranslator.translate(e, repeated);
        }
        passed = true;
        return new EngineException(
                EngineFailure.EXECUTION,
                "The query failed before its first row and succeeded when it was run to learn why; most likely"
                        + " other queries had the memory or temporary space that it needed; try again",
                "22000",
                -1,
                null);
    }

    /** After an error a transaction takes no statement any more. */
    private void restartTransaction() throws SQLException {
        boolean reads = query.access() == Access.READ && source.inTransaction(query);
        if (reads || query.parameterRows().size() > 1) {
            QueryConnections.run(connection, "ROLLBACK");
        }
        if (reads) {
            QueryConnections.run(connection, "BEGIN TRANSACTION READ ONLY");
        }
    }

    /** Tries each value on its parameter's type; the first that cannot be cast is the fault. */
    private EngineException blameParameter(EngineException translated, List<? extends @Nullable Object> row) {
        try {
            restartTransaction();
            ParameterMetaData metadata;
            try (DuckDBPreparedStatement prepared = connection.prepare(statement.text())) {
                metadata = prepared.getParameterMetaData();
                for (int i = 0; i < row.size(); i++) {
                    String type = metadata.getParameterTypeName(i + 1);
                    Object value = row.get(i);
                    boolean typed = !type.equals("INVALID") && !type.equals("UNKNOWN") && !type.equals("ENUM");
                    if (value != null
                            && typed
                            && !fits(value, DuckType.parse(type).sql())) {
                        return Parameters.invalid(i + 1, "is no " + type);
                    }
                }
            }
        } catch (SQLException e) {
            return translated;
        }
        return translated;
    }

    private boolean fits(Object value, String type) {
        try (DuckDBPreparedStatement prepared = connection.prepare("SELECT TRY_CAST(? AS " + type + ") IS NOT NULL")) {
            Parameters.bind(connection, prepared, List.of(value));
            try (ResultSet rows = prepared.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        } catch (SQLException e) {
            return false;
        }
    }
}
