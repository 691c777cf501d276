package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import dev.weir.engine.SessionSettings;
import java.util.concurrent.CompletionStage;

/**
 * A session of one user: settings that its statements start from, and, while it is in a transaction or owns temporary
 * objects, one connection of the engine. Without those each statement has a connection of its own, and several may run at
 * once; with them one at a time, another is a CONFLICT.
 *
 * <p>Thread-safe; nothing blocks. Every statement asks admission for a permit as any other; between statements a session
 * holds none. A transaction that is idle for too long is rolled back: until it is ended by its client, every statement
 * fails with CONFLICT, so that none runs outside unnoticed.
 */
public interface QuerySession extends QueryTarget, AutoCloseable {

    /** The settings as statements and {@link #settings(SessionSettings)} left them. */
    SessionSettings settings();

    /** Replaces the settings; they are applied with the next statement. */
    void settings(SessionSettings settings);

    /**
     * Begins a transaction. The engine's begins with its first statement.
     *
     * @param readOnly whether the engine refuses changes in it
     * @return gives the transaction's id; fails with CONFLICT when there is one
     */
    CompletionStage<String> begin(Identity identity, boolean readOnly);

    /**
     * Ends a transaction, outside the queue.
     *
     * @return fails with CONFLICT without one, when a result is open (a commit only), when a statement of it failed
     *     (it is rolled back then), or when it was rolled back before since it was idle (a commit only)
     */
    CompletionStage<Void> end(Identity identity, boolean commit);

    /** Whether that transaction was begun here and not ended by its client. */
    boolean hasTransaction(String id);

    /** Whether there is a transaction that was not ended by its client. */
    boolean inTransaction();

    /** Whether statements must run here to see what they should: there is a transaction, or temporary objects. */
    boolean isPinned();

    /** Cancels what runs on its connection, rolls back, and gives everything back; returns at once. Idempotent. */
    @Override
    void close();
}
