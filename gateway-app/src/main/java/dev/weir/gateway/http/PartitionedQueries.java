package dev.weir.gateway.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.PartitionedResult;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.ResultStream;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The queries whose result is read over several calls. One that nobody reads ends by the stall clock, as any. Thread-safe.
 */
final class PartitionedQueries {

    /** Of those that are done, for partitions that are asked for late. */
    private static final int MAX_DONE = 1_000;

    private final int mostPartitions;
    private final BufferAllocator allocator;
    private final Map<String, Query> live = new ConcurrentHashMap<>();
    private final Cache<String, Query> done =
            Caffeine.newBuilder().maximumSize(MAX_DONE).build();

    PartitionedQueries(int mostPartitions, BufferAllocator allocator) {
        this.mostPartitions = mostPartitions;
        this.allocator = allocator;
    }

    /** One query. */
    record Query(String user, PartitionedResult result, BufferAllocator allocator) {

        /**
         * One partition, to be read once.
         *
         * @throws GatewayException INVALID_REQUEST when the parameter is missing or no number
         */
        ResultSource source(@Nullable String partition) {
            int number;
            try {
                number = Integer.parseInt(partition == null ? "" : partition);
            } catch (NumberFormatException e) {
                throw new GatewayException(
                        GatewayErrorCode.INVALID_REQUEST,
                        "This result is read in parts: give partition=0 to " + (result.count() - 1)
                                + " in the address.",
                        ErrorDetails.NONE.withQueryId(result.query().id()));
            }
            CompletionStage<ResultStream> part = result.open(number);
            return new PartitionSource(result.query(), part, allocator);
        }
    }

    /**
     * Submits a query.
     *
     * @param count of partitions; a result that has an order, or changes data, comes in one
     * @throws GatewayException INVALID_REQUEST for more partitions than configured
     */
    Query add(Identity identity, QueryService queries, QueryRequest request, int count) {
        if (count > mostPartitions) {
            throw new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "A result comes in at most " + mostPartitions + " partitions (weir.results.max-partitions).",
                    ErrorDetails.ofLimit("query", "results.max-partitions", Integer.toString(mostPartitions)));
        }
        QueryExecution execution = queries.submit(identity, request);
        int parts = execution.mayBePartitioned() ? count : 1;
        Query query = new Query(identity.user(), new PartitionedResult(execution, parts, false, allocator), allocator);
        live.put(execution.id(), query);
        execution.done().thenAccept(last -> {
            done.put(execution.id(), query);
            live.remove(execution.id());
        });
        return query;
    }

    Optional<Query> find(Identity identity, String id) {
        Query running = live.get(id);
        return Optional.ofNullable(running == null ? done.getIfPresent(id) : running)
                .filter(query ->
                        query.user().equals(identity.user()) || identity.role().includes(Role.ADMIN));
    }

    static GatewayException whole() {
        return new GatewayException(
                GatewayErrorCode.INVALID_REQUEST,
                "This result is not read in parts; submit with \"partitions\" to have it so.");
    }

    /** One partition as the source of an answer. */
    private record PartitionSource(QueryExecution query, CompletionStage<ResultStream> part, BufferAllocator allocator)
            implements ResultSource {

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
            return part.thenCompose(stream -> LoadedResult.of(stream, allocator, encoded));
        }

        @Override
        public void abandoned() {
            query.cancel(CancelReason.CLIENT_GONE);
        }

        @Override
        public void failed(GatewayException failure) {
            query.fail(failure);
        }
    }
}
