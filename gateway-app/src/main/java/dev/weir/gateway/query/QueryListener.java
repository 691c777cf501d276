package dev.weir.gateway.query;

import org.jspecify.annotations.Nullable;

/** Told of the life of queries, for metrics and the query log. Must not block; exceptions are swallowed and counted. */
public interface QueryListener {

    default void submitted(QuerySnapshot query) {}

    /**
     * A query is about to begin; before anything else is told of it but {@link #submitted}.
     *
     * @return the trace context, as W3C writes it in {@code traceparent}, that what the engine does for it belongs to;
     *     null for none
     */
    default @Nullable String begun(QuerySnapshot query) {
        return null;
    }

    /** The engine gave the query's result, from which the reader may pull now. */
    default void opened(String queryId) {}

    /** Admission decided something about a query that is not done; told by whichever thread decided. */
    default void decided(String queryId, AdmissionTrail.Step step) {}

    /** Once for each query, when it is done and everything it held is free. */
    default void done(QuerySnapshot query) {}
}
