package dev.weir.engine.duckdb;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.SessionStatement;
import java.sql.SQLException;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a session and what is known of its state. Opened with the first statement. The session sees to it
 * that one scope has it at a time; only the volatile fields are read from elsewhere.
 */
final class PinnedConnection implements ConnectionSource {

    private static final Logger log = LoggerFactory.getLogger(PinnedConnection.class);

    /** What became of the client's transaction. */
    private enum Transaction {
        NONE,
        /** Asked for; DuckDB's begins with the first statement, since an idle one would hold a snapshot. */
        BEGUN,
        OPEN,
        /** It takes nothing but its rollback, whether or not DuckDB has noticed. */
        FAILED
    }

    private final QueryConnections connections;
    private @Nullable DuckDBConnection connection;
    private volatile SessionSettings settings = SessionSettings.NONE;
    private volatile Transaction transaction = Transaction.NONE;
    private volatile boolean temporary;
    private boolean readOnly;

    /** Whether the transaction may have changed schemas. */
    private boolean changed;

    /** The scope that has the connection. */
    private @Nullable NativeScope borrower;

    /** Whether the statement runs in a transaction that ends with it. */
    private boolean ownTransaction;

    /** Whether DuckDB was told to begin the client's transaction and has not said that it did: a cancel came between. */
    private boolean beginning;

    /** What runs, for the case that it is cancelled. */
    private boolean changing;

    private boolean repeating;

    PinnedConnection(QueryConnections connections) {
        this.connections = connections;
    }

    boolean inTransaction() {
        return transaction != Transaction.NONE;
    }

    boolean isOpenTransaction() {
        return transaction == Transaction.OPEN || transaction == Transaction.FAILED;
    }

    /** Whether its statements may see another catalog than a fresh connection's. */
    boolean hasOwnCatalog() {
        return transaction == Transaction.OPEN || (temporary && transaction != Transaction.FAILED);
    }

    boolean hasTemporaryObjects() {
        return temporary;
    }

    SessionSettings settings() {
        return settings;
    }

    /** @throws EngineException CONFLICT when there is a transaction */
    void begin(boolean asReadOnly) {
        if (transaction != Transaction.NONE) {
            throw new EngineException(
                    EngineFailure.CONFLICT, "There is a transaction already; end it first", "25001", -1, null);
        }
        readOnly = asReadOnly;
        changed = false;
        transaction = Transaction.BEGUN;
    }

    /** Ends a transaction that did nothing; false for any other. */
    boolean endUnused() {
        if (transaction != Transaction.BEGUN) {
            return false;
        }
        transaction = Transaction.NONE;
        return true;
    }

    /** Notes what is about to run. */
    void runs(ScannedStatement statement, int rows) {
        changing = !statement.scan().kind().isRead();
        repeating = rows > 1;
        if (statement.scan().session() instanceof SessionStatement.Temporary) {
            temporary = true;
        } else if (changing) {
            changed = true;
        }
    }

    /** Notes that rows are about to be loaded, by several statements. */
    void loads(boolean intoTemporary) {
        changing = true;
        repeating = true;
        temporary |= intoTemporary;
        changed |= !intoTemporary;
    }

    @Override
    public void beginOwn(DuckDBConnection lent) throws SQLException {
        ownTransaction = true;
        QueryConnections.run(lent, "BEGIN TRANSACTION");
    }

    @Override
    public void commitOwn(DuckDBConnection lent) throws SQLException {
        QueryConnections.run(lent, "COMMIT");
        ownTransaction = false;
    }

    @Override
    public DuckDBConnection open(NativeScope scope, EngineQuery query, boolean runs) throws SQLException {
        if (!runs) {
            changing = false;
            repeating = false;
        }
        DuckDBConnection lent = lend(scope);
        if (transaction == Transaction.FAILED) {
            throw ErrorTranslator.transactionFailed();
        }
        apply(lent, query.settings());
        if (runs && transaction == Transaction.BEGUN) {
            boolean reads = readOnly || query.access() == Access.READ;
            beginning = true;
            QueryConnections.run(lent, reads ? QueryConnections.READ_ONLY : "BEGIN TRANSACTION");
            beginning = false;
            transaction = Transaction.OPEN;
        } else if (transaction != Transaction.OPEN && query.access() == Access.READ) {
            ownTransaction = true;
            QueryConnections.run(lent, QueryConnections.READ_ONLY);
        }
        return lent;
    }

    private DuckDBConnection lend(NativeScope scope) throws SQLException {
        DuckDBConnection lent = connection;
        if (lent == null) {
            lent = connections.pinned();
            connection = lent;
        }
        borrower = scope;
        return scope.own(lent);
    }

    /** Lends it for a look at the catalog: in the client's transaction if that is open, and without beginning it. */
    DuckDBConnection look(NativeScope scope) throws SQLException {
        changing = false;
        repeating = false;
        return lend(scope);
    }

    private void apply(DuckDBConnection lent, SessionSettings wanted) throws SQLException {
        if (wanted.equals(settings)) {
            return;
        }
        connections.apply(lent, settings, wanted);
        settings = wanted;
    }

    /** Changes the settings, which no transaction undoes. */
    void set(NativeScope scope, EngineQuery query, SessionStatement.Setting setting) throws SQLException {
        changing = false;
        repeating = false;
        DuckDBConnection lent = lend(scope);
        if (transaction == Transaction.FAILED) {
            throw ErrorTranslator.transactionFailed();
        }
        apply(lent, query.settings());
        settings = connections.set(lent, settings, setting);
    }

    @Override
    public boolean inTransaction(EngineQuery query) {
        return ownTransaction || isClientsTransaction();
    }

    @Override
    public boolean isClientsTransaction() {
        return transaction == Transaction.OPEN;
    }

    /**
     * Ends the client's transaction, in whatever state it is.
     *
     * @return whether it was committed and may have changed schemas
     */
    boolean end(NativeScope scope, boolean commit) throws SQLException {
        changing = false;
        repeating = false;
        Transaction before = transaction;
        if (before == Transaction.BEGUN) {
            transaction = Transaction.NONE;
            return false;
        }
        DuckDBConnection lent = lend(scope);
        try {
            if (commit && before == Transaction.OPEN) {
                QueryConnections.run(lent, "COMMIT");
                return changed;
            }
            rollback(lent);
        } catch (SQLException e) {
            rollback(lent);
            throw e;
        } finally {
            transaction = Transaction.NONE;
        }
        if (commit) {
            throw new EngineException(
                    EngineFailure.CONFLICT,
                    "The transaction had failed with a statement before; it was rolled back and nothing is committed",
                    "25P02",
                    -1,
                    null);
        }
        return false;
    }

    /** DuckDB has no transaction any more after some failures, and says so; that is what was wanted. */
    private static void rollback(DuckDBConnection lent) {
        try {
            QueryConnections.run(lent, "ROLLBACK");
        } catch (SQLException e) {
            log.debug("Rolling back failed", e);
        }
    }

    /** A scope is freed: whatever transaction was its own ends, and the client's is looked at when something failed. */
    void returned(NativeScope scope) {
        if (borrower != scope) {
            return;
        }
        borrower = null;
        DuckDBConnection back = connection;
        if (back == null) {
            return;
        }
        boolean troubled = scope.isTroubled();
        if (beginning) {
            // DuckDB may be in a transaction or not; nothing was done in it, and the next statement begins it anew.
            beginning = false;
            rollback(back);
        } else if (ownTransaction) {
            ownTransaction = false;
            endOwn(back, troubled);
        } else if (troubled && transaction == Transaction.OPEN && isSpoiled(scope, back)) {
            transaction = Transaction.FAILED;
        }
    }

    /** A change that was cancelled may be done in part; of anything else DuckDB knows whether the transaction goes on. */
    private boolean isSpoiled(NativeScope scope, DuckDBConnection back) {
        if (changing && (scope.isCancelled() || repeating)) {
            return true;
        }
        try {
            QueryConnections.run(back, "SELECT 1");
            return false;
        } catch (SQLException e) {
            return true;
        }
    }

    private static void endOwn(DuckDBConnection back, boolean troubled) {
        if (!troubled) {
            try {
                // Temporary objects are made in a read-only transaction, too, and shall stay.
                QueryConnections.run(back, "COMMIT");
                return;
            } catch (SQLException e) {
                log.debug("The end of a read failed", e);
            }
        }
        rollback(back);
    }

    /** Closes the connection, which undoes what was not committed. No scope has it. */
    void close() {
        DuckDBConnection closing = connection;
        connection = null;
        if (closing != null) {
            try {
                closing.close();
            } catch (SQLException e) {
                log.warn("Closing the connection of a session failed", e);
            }
        }
    }
}
