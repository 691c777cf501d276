package dev.weir.gateway.http;

import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;

/** Where an answer's result comes from: a query that runs, or a result that was stored. */
interface ResultSource {

    String queryId();

    QuerySnapshot snapshot();

    /**
     * Starts; called once. Whoever gets the result closes it.
     *
     * @param encoded whether batches are wanted as they came, where they came encoded
     */
    CompletionStage<LoadedResult> load(boolean encoded);

    /** The client left before its result was taken. */
    void abandoned();

    /** The result cannot be encoded. */
    void failed(GatewayException failure);

    static ResultSource of(QueryExecution execution, BufferAllocator allocator) {
        return new ResultSource() {
            @Override
            public String queryId() {
                return execution.id();
            }

            @Override
            public QuerySnapshot snapshot() {
                return execution.snapshot();
            }

            @Override
            public CompletionStage<LoadedResult> load(boolean encoded) {
                return execution.stream().thenCompose(stream -> LoadedResult.of(stream, allocator, encoded));
            }

            @Override
            public void abandoned() {
                execution.cancel(CancelReason.CLIENT_GONE);
            }

            @Override
            public void failed(GatewayException failure) {
                execution.fail(failure);
            }
        };
    }

    static ResultSource of(AsyncQuery query, SpoolWriter.Spooled spooled, SpoolReaders readers) {
        return new ResultSource() {
            @Override
            public String queryId() {
                return query.id();
            }

            @Override
            public QuerySnapshot snapshot() {
                return query.snapshot();
            }

            @Override
            public CompletionStage<LoadedResult> load(boolean encoded) {
                return readers.open(spooled);
            }

            @Override
            public void abandoned() {}

            @Override
            public void failed(GatewayException failure) {}
        };
    }
}
