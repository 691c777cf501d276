package dev.weir.engine;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One connection of an engine that outlives its statements, because it holds a transaction or temporary objects.
 *
 * <p>Thread-safe; no method blocks. One statement at a time: another one, or a commit, while a result is open fails with
 * CONFLICT and changes nothing; after a cancel it waits until the engine has stopped. A statement that is cancelled leaves
 * the session usable. A transaction in which a statement failed while it ran, or a change was cancelled, takes nothing but
 * its rollback: everything else fails with CONFLICT (25P02).
 *
 * <p>It runs the statements that need a session as text, too ({@link StatementScan#session()}), BEGIN and COMMIT included.
 * The transaction begins with its first statement: until then it holds no snapshot.
 */
public interface EngineSession extends StatementRunner, AutoCloseable {

    /**
     * Begins a transaction; CONFLICT when there is one.
     *
     * @param readOnly whether the engine refuses changes in it
     */
    EngineCall<Void> begin(boolean readOnly);

    /** Commits; CONFLICT without a transaction. A transaction that cannot be committed is rolled back and fails. */
    EngineCall<Void> commit();

    /** Cancels what runs and undoes the transaction; CONFLICT without one. */
    EngineCall<Void> rollback();

    /**
     * Answers a question about the catalog as the session's next statement would see it, temporary objects included.
     *
     * @return null when that is no other than what {@link QueryEngine#metadata} answers, or when it cannot be told: a
     *     result is open, the transaction has failed, or the engine's sessions do not answer
     */
    default @Nullable EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return null;
    }

    /** Whether a transaction was begun and not ended. */
    boolean inTransaction();

    /** Whether the connection may own temporary tables, views, macros, sequences, types, or variables. */
    boolean hasTemporaryObjects();

    /** The settings that the connection has: those of its last statement, and what that changed if it was a setting. */
    SessionSettings settings();

    /** Completes, never exceptionally, when the connection is closed and its memory given back. */
    CompletionStage<Void> closed();

    /** Cancels what runs, rolls back and closes in the background; returns at once. Idempotent. */
    @Override
    void close();
}
