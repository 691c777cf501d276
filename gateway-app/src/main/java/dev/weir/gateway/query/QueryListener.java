package dev.weir.gateway.query;

/** Told of the life of queries, for metrics and the query log. Must not block; exceptions are swallowed and counted. */
public interface QueryListener {

    default void submitted(QuerySnapshot query) {}

    /** Admission decided something about a query that is not done; told by whichever thread decided. */
    default void decided(String queryId, AdmissionTrail.Step step) {}

    /** Once for each query, when it is done and everything it held is free. */
    default void done(QuerySnapshot query) {}
}
