package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestMode;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBConnection;

/**
 * Runs one bulk ingest in a transaction, on the thread inside the scope. Used once.
 *
 * <p>DuckDB's own threads call for the rows, and one that waits there for a client is lost to every other query. So a
 * statement gets the rows that come without a pause; when the client pauses, the statement ends, this thread waits
 * outside of native code, and the next statement goes on in the same transaction.
 */
final class IngestRun {

    /** A client that lets native code wait longer than this has its statement ended. */
    private static final long PAUSE_MILLIS = 50;

    private static final long WAIT_MILLIS = 1_000;

    private final EngineCore core;
    private final ConnectionSource source;
    private final NativeScope scope;
    private final EngineIngest ingest;
    private final IngestFeed feed;
    private final String view = "weir_upload_" + UUID.randomUUID().toString().replace("-", "");

    IngestRun(EngineCore core, ConnectionSource source, NativeScope scope, EngineIngest ingest, IngestFeed feed) {
        this.core = core;
        this.source = source;
        this.scope = scope;
        this.ingest = ingest;
        this.feed = feed;
    }

    /** Refuses what would end with the connection. */
    void requireLasting() {
        if (ingest.target().temporary()) {
            throw new EngineException(
                    EngineFailure.UNSUPPORTED, "A temporary table needs a session", "0A000", -1, null);
        }
    }

    /** In the client's transaction, or else in one of its own. */
    ArrowResult execute() throws SQLException, IOException {
        if (!ingest.access().covers(Access.WRITE)) {
            throw new EngineException(
                    EngineFailure.FORBIDDEN,
                    "Bulk ingest needs " + Access.WRITE + " access, the caller has " + ingest.access(),
                    "42501",
                    -1,
                    null);
        }
        IngestTable.check(ingest.target());
        EngineQuery query = new EngineQuery(
                ingest.queryId(),
                "",
                ingest.access(),
                ingest.settings(),
                List.of(),
                EngineQuery.DEFAULT_BATCH_ROWS,
                ingest.context());
        DuckDBConnection connection = source.open(scope, query, true);
        boolean own = !source.inTransaction(query);
        if (own) {
            source.beginOwn(connection);
        }
        long rows = load(connection);
        stopIfEnding();
        if (own) {
            source.commitOwn(connection);
        }
        return core.counted(rows);
    }

    /** Inside the connection's transaction. After a failure, the transaction can only be rolled back. */
    private long load(DuckDBConnection connection) throws SQLException, IOException {
        try (UploadReader reader = new UploadReader(feed, ingest.schema(), scope::isEnding)) {
            IngestTable table = IngestTable.of(connection, ingest);
            long inserted;
            try {
                prepare(connection, reader, table);
                inserted = insert(connection, reader, table);
            } catch (SQLException e) {
                stopIfEnding();
                EngineException failed = reader.failure();
                throw failed != null ? failed : table.explain(connection, ErrorTranslator.translate(e, null));
            }
            if (inserted != reader.rows() || !table.has(connection, inserted)) {
                throw new EngineException(
                        EngineFailure.INTERNAL,
                        "The engine inserted " + inserted + " rows of " + reader.rows()
                                + " that it was given, or does not have them");
            }
            drop(connection);
            return inserted;
        }
    }

    private void prepare(DuckDBConnection connection, UploadReader reader, IngestTable table)
            throws SQLException, IOException {
        stopIfEnding();
        if (ingest.mode() == IngestMode.APPEND
                || (ingest.mode() == IngestMode.CREATE_APPEND && table.exists(connection))) {
            with(connection, reader.stream(0), () -> table.compare(connection, view));
            return;
        }
        if (ingest.mode() == IngestMode.REPLACE) {
            QueryConnections.run(connection, "DROP TABLE IF EXISTS " + table.sql());
        }
        with(connection, reader.stream(0), () -> table.create(connection, view));
    }

    private long insert(DuckDBConnection connection, UploadReader reader, IngestTable table)
            throws SQLException, IOException {
        String sql = "INSERT INTO " + table.sql() + " BY NAME SELECT * FROM " + view;
        long[] inserted = new long[1];
        while (!reader.isAtEnd()) {
            stopIfEnding();
            if (reader.await(WAIT_MILLIS)) {
                with(connection, reader.stream(PAUSE_MILLIS), () -> inserted[0] += update(connection, sql));
            }
        }
        return inserted[0];
    }

    private static long update(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeLargeUpdate(sql);
        }
    }

    /** Work while the view shows a stream. */
    private interface Work {
        void run() throws SQLException;
    }

    private void with(DuckDBConnection connection, ArrowReader reader, Work work) throws SQLException {
        try (ArrowArrayStream stream = ArrowArrayStream.allocateNew(feed.allocator())) {
            Data.exportArrayStream(feed.allocator(), reader, stream);
            try {
                connection.registerArrowStream(view, stream);
                work.run();
            } finally {
                // What DuckDB did not take is given back.
                stream.release();
            }
        }
    }

    private void drop(DuckDBConnection connection) throws SQLException {
        QueryConnections.run(connection, "DROP VIEW IF EXISTS temp." + view);
    }

    private void stopIfEnding() {
        if (scope.isEnding()) {
            throw ErrorTranslator.cancelled();
        }
    }
}
