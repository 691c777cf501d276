package dev.weir.engine.duckdb;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBPreparedStatement;
import org.duckdb.DuckDBResultSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one statement up to its open result, on the thread inside the scope. Used once. */
final class StatementRun {

    private static final Logger log = LoggerFactory.getLogger(StatementRun.class);

    private final EngineCore core;
    private final ConnectionSource source;
    private final NativeScope scope;
    private final EngineQuery query;
    private final ScannedStatement statement;
    private SqlText text;

    StatementRun(
            EngineCore core,
            ConnectionSource source,
            NativeScope scope,
            EngineQuery query,
            ScannedStatement statement) {
        this.core = core;
        this.source = source;
        this.scope = scope;
        this.query = query;
        this.statement = statement;
        this.text = SqlText.of(statement);
    }

    /** What DuckDB was given last: errors point into it. */
    SqlText text() {
        return text;
    }

    ArrowResult execute() throws SQLException, IOException {
        DuckDBConnection connection = source.open(scope, query, true);
        if (query.parameterRows().size() > 1) {
            return executeRows(connection);
        }
        DuckDBPreparedStatement prepared = prepare(connection);
        ResultPlan plan = ResultPlan.of(prepared.getMetaData());
        if (!statement.scan().givesRows() || !ResultPlan.givesRows(prepared.getMetaData())) {
            bind(connection, prepared, firstRow());
            return counted(run(connection, prepared));
        }
        boolean known = !plan.isUnknown();
        if (known && plan.needsCasts()) {
            prepared = prepareCast(connection, prepared, plan);
        }
        bind(connection, prepared, firstRow());
        ResultSet rows = rows(connection, prepared);
        if (!known) {
            plan = ResultPlan.of(rows.getMetaData());
            if (plan.needsCasts()) {
                requireRepeatable();
                prepared = prepareCast(connection, prepared, plan);
                bind(connection, prepared, firstRow());
                rows = rows(connection, prepared);
            }
        }
        return stream(rows, plan);
    }

    private List<? extends @Nullable Object> firstRow() {
        return query.parameterRows().isEmpty()
                ? List.of()
                : query.parameterRows().get(0);
    }

    private DuckDBPreparedStatement prepare(DuckDBConnection connection) throws SQLException {
        stopIfEnding();
        DuckDBPreparedStatement prepared = connection.prepare(text.sql());
        stopIfEnding();
        return prepared;
    }

    private DuckDBPreparedStatement prepareCast(
            DuckDBConnection connection, DuckDBPreparedStatement plain, ResultPlan plan) throws SQLException {
        text = plan.cast(SqlText.of(statement), statement.shape());
        plain.close();
        return prepare(connection);
    }

    /** Only what was no change may be run a second time. */
    private void requireRepeatable() {
        if (!statement.scan().kind().isRead()) {
            throw new EngineException(
                    EngineFailure.UNSUPPORTED,
                    "The types of the returned columns are not known; give the parameters types, as in ?::INTEGER",
                    "0A000",
                    -1,
                    null);
        }
    }

    private void bind(
            DuckDBConnection connection, DuckDBPreparedStatement prepared, List<? extends @Nullable Object> row)
            throws SQLException {
        Parameters.bind(connection, prepared, row);
    }

    private ResultSet rows(DuckDBConnection connection, DuckDBPreparedStatement prepared) throws SQLException {
        ResultSet rows = run(connection, prepared).getResultSet();
        if (rows == null) {
            throw new EngineException(EngineFailure.INTERNAL, "The statement gave no rows where it should");
        }
        return scope.add(rows);
    }

    private DuckDBPreparedStatement run(DuckDBConnection connection, DuckDBPreparedStatement prepared)
            throws SQLException {
        stopIfEnding();
        scope.add(prepared);
        try {
            prepared.execute();
        } catch (SQLException e) {
            stopIfEnding();
            return runAgain(connection, e);
        }
        stopIfEnding();
        return prepared;
    }

    /** A read whose failure was not its own, but came of what its neighbours held, has another try. */
    private DuckDBPreparedStatement runAgain(DuckDBConnection connection, SQLException failure) {
        Diagnosis diagnosis = diagnosis(connection);
        EngineException why = diagnosis.of(failure);
        stopIfEnding();
        if (!diagnosis.hasPassed()) {
            throw why;
        }
        try {
            DuckDBPreparedStatement prepared = scope.add(prepare(connection));
            bind(connection, prepared, firstRow());
            prepared.execute();
            stopIfEnding();
            return prepared;
        } catch (SQLException e) {
            stopIfEnding();
            throw why;
        }
    }

    private Diagnosis diagnosis(DuckDBConnection connection) {
        return new Diagnosis(core, source, scope, connection, query, statement, text);
    }

    /** Several rows run the statement once each, in one transaction. */
    private ArrowResult executeRows(DuckDBConnection connection) throws SQLException {
        if (statement.scan().givesRows()) {
            throw new EngineException(
                    EngineFailure.INVALID_PARAMETER,
                    "A statement that gives rows takes one row of parameters, "
                            + query.parameterRows().size() + " were given",
                    "07001",
                    -1,
                    null);
        }
        if (source.inTransaction(query)) {
            return core.counted(changedBy(connection));
        }
        QueryConnections.run(connection, "BEGIN TRANSACTION");
        boolean committed = false;
        try {
            long changed = changedBy(connection);
            QueryConnections.run(connection, "COMMIT");
            committed = true;
            return core.counted(changed);
        } finally {
            if (!committed) {
                rollBack(connection);
            }
        }
    }

    /** A session's connection lives on, and must not be left in a transaction that its client did not begin. */
    private static void rollBack(DuckDBConnection connection) {
        try {
            QueryConnections.run(connection, "ROLLBACK");
        } catch (SQLException e) {
            log.debug("There was nothing to roll back", e);
        }
    }

    private long changedBy(DuckDBConnection connection) throws SQLException {
        DuckDBPreparedStatement prepared = scope.add(prepare(connection));
        long changed = 0;
        for (List<? extends @Nullable Object> row : query.parameterRows()) {
            stopIfEnding();
            bind(connection, prepared, row);
            try {
                prepared.execute();
            } catch (SQLException e) {
                stopIfEnding();
                throw diagnosis(connection).of(e, row);
            }
            changed += Math.max(0, prepared.getLargeUpdateCount());
        }
        stopIfEnding();
        return changed;
    }

    private ArrowResult counted(DuckDBPreparedStatement prepared) throws SQLException {
        ResultSet rows = prepared.getResultSet();
        if (rows == null) {
            return core.counted(Math.max(0, prepared.getLargeUpdateCount()));
        }
        // CHECKPOINT and the like answer a Success column that nobody asked for; reading it lets them finish.
        while (rows.next()) {
            stopIfEnding();
        }
        rows.close();
        return core.counted(0);
    }

    private ArrowResult stream(ResultSet rows, ResultPlan plan) throws SQLException, IOException {
        Schema schema = plan.schema(QueryConnections.zone(query.settings()));
        BufferAllocator memory = scope.own(core.memory().newChildAllocator(query.queryId(), 0, Long.MAX_VALUE));
        int batchRows = plan.batchRows(query.batchRows());
        ArrowReader reader = scope.add((ArrowReader) ((DuckDBResultSet) rows).arrowExportStream(memory, batchRows));
        BatchSource batches = scope.add(new BatchSource(
                reader,
                ExportedSchema.of(schema, reader.getVectorSchemaRoot().getSchema()),
                new ValueGuard(plan),
                text,
                memory));
        boolean some = batches.next();
        stopIfEnding();
        return new DuckDbResult(scope, core, batches, some);
    }

    private void stopIfEnding() {
        if (scope.isEnding()) {
            throw ErrorTranslator.cancelled();
        }
    }

    /** Whether running this statement may have changed schemas that were described before. */
    boolean mayChangeSchemas() {
        return !statement.scan().kind().isRead() && statement.scan().session() == null;
    }
}
