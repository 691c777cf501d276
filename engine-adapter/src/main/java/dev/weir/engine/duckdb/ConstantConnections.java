package dev.weir.engine.duckdb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.SessionSettings;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections for constant statements ({@link ScannedStatement#constant}), of which connection pools and dashboards ask
 * one before each of their queries. They read nothing, change nothing and leave nothing behind, so a connection serves
 * one after the other, without a transaction around it and without DuckDB's optimizer: that halves their time.
 * Thread-safe.
 */
final class ConstantConnections {

    private static final Logger log = LoggerFactory.getLogger(ConstantConnections.class);

    /** Statements that take well under a millisecond are seldom more at once. */
    private static final int MOST_IDLE = 8;

    private final DuckDBConnection template;

    @GuardedBy("this")
    private final Deque<DuckDBConnection> idle = new ArrayDeque<>();

    @GuardedBy("this")
    private boolean closed;

    /** @param template what they are duplicates of, set up for such statements; taken over */
    ConstantConnections(DuckDBConnection template) {
        this.template = template;
    }

    /** Lends a connection for a statement; null for one that needs a connection of its own. */
    @Nullable
    Loan lend(EngineQuery query, ScannedStatement statement) {
        boolean served = statement.constant()
                && query.settings().equals(SessionSettings.NONE)
                && query.parameterRows().size() <= 1;
        return served ? new Loan() : null;
    }

    private DuckDBConnection take() throws SQLException {
        synchronized (this) {
            DuckDBConnection waiting = idle.poll();
            if (waiting != null) {
                return waiting;
            }
        }
        return (DuckDBConnection) template.duplicate();
    }

    private void giveBack(DuckDBConnection connection, boolean sound) {
        synchronized (this) {
            if (sound && !closed && idle.size() < MOST_IDLE) {
                idle.push(connection);
                return;
            }
        }
        close(connection);
    }

    /** Closes those that wait; the others follow when they are given back. */
    void close() {
        Deque<DuckDBConnection> closing;
        synchronized (this) {
            closed = true;
            closing = new ArrayDeque<>(idle);
            idle.clear();
        }
        closing.forEach(ConstantConnections::close);
        close(template);
    }

    private static void close(DuckDBConnection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("Closing a connection failed", e);
        }
    }

    /** One connection for one statement. The scope that it is lent to gives it back. */
    final class Loan implements ConnectionSource, Consumer<NativeScope> {

        private @Nullable DuckDBConnection connection;

        @Override
        public DuckDBConnection open(NativeScope scope, EngineQuery query, boolean runs) throws SQLException {
            DuckDBConnection taken = take();
            connection = taken;
            return scope.own(taken);
        }

        @Override
        public void accept(NativeScope over) {
            DuckDBConnection taken = connection;
            if (taken != null) {
                connection = null;
                giveBack(taken, !over.isTroubled());
            }
        }

        @Override
        public boolean inTransaction(EngineQuery query) {
            return false;
        }

        @Override
        public boolean isClientsTransaction() {
            return false;
        }

        @Override
        public void beginOwn(DuckDBConnection own) {
            throw new IllegalStateException("A constant is one statement");
        }

        @Override
        public void commitOwn(DuckDBConnection own) {
            throw new IllegalStateException("A constant is one statement");
        }
    }
}
