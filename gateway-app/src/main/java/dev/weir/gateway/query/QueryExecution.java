package dev.weir.gateway.query;

import java.util.concurrent.CompletionStage;

/** A registered query. Thread-safe. */
public interface QueryExecution {

    /** Unique within the gateway; printable, without meaning. */
    String id();

    /**
     * Completes when the query was admitted and its schema is known; or exceptionally with a {@link GatewayException}
     * (never wrapped). Whoever takes the stream must close it. When nobody takes it any more, call {@link #cancel}.
     */
    CompletionStage<ResultStream> stream();

    /** Completes with the last snapshot when the query is done and everything it held is free. Never exceptionally. */
    CompletionStage<QuerySnapshot> done();

    /** Asks it to stop; returns at once, any number of times, from any thread. False when it was done already. */
    boolean cancel(CancelReason reason);

    /**
     * Ends it as failed, for a reason that its front found: a result that cannot be encoded or stored. Otherwise as
     * {@link #cancel}.
     */
    boolean fail(GatewayException failure);

    QuerySnapshot snapshot();

    /**
     * Whether its rows may be shared out among several readers: a query, and without an ORDER BY of its own. False for a
     * statement that was refused.
     */
    default boolean mayBePartitioned() {
        return false;
    }
}
