package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.protobuf.ByteString;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySession;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The transactions that were begun by BeginTransaction, by their ids. One is its caller's session's, so that it sees the
 * session's temporary objects; a second at the same time, and that of a client without a session, has a session of its own
 * that ends with it. Thread-safe.
 */
final class Transactions {

    private final QueryService queries;
    private final FlightSessions sessions;
    private final Cache<String, Transaction> open;

    /**
     * @param user whose it is
     * @param query the session that it is in
     * @param own whether that session ends with it
     */
    private record Transaction(String user, QuerySession query, boolean own) {}

    /** @param timeToLive of one that nobody asks for; the service ends it as idle before, and this forgets its id */
    Transactions(QueryService queries, FlightSessions sessions, Duration timeToLive, Ticker ticker) {
        this.queries = queries;
        this.sessions = sessions;
        this.open = Caffeine.newBuilder()
                .expireAfterAccess(timeToLive)
                .ticker(ticker)
                .executor(Runnable::run)
                .<String, Transaction>removalListener((id, transaction, cause) -> {
                    if (transaction != null && transaction.own()) {
                        transaction.query().close();
                    }
                })
                .build();
    }

    /** @return gives the id */
    CompletionStage<String> begin(Caller caller) {
        FlightSession session = caller.session().isLasting() ? sessions.open(caller) : sessions.find(caller);
        QuerySession shared = session == null || session.query().inTransaction() ? null : session.query();
        boolean own = shared == null;
        QuerySession query = shared == null ? queries.openSession(caller.identity()) : shared;
        if (own && session != null) {
            query.settings(session.query().settings());
        }
        return query.begin(caller.identity(), false).handle((id, failure) -> {
            if (failure != null && own) {
                query.close();
            }
            if (failure != null) {
                throw FlightErrors.toGateway(failure);
            }
            open.put(id, new Transaction(caller.user(), query, own));
            return id;
        });
    }

    /**
     * The session that a transaction is in.
     *
     * @throws GatewayException NOT_FOUND when it was ended, or is another user's
     */
    QuerySession find(Caller caller, ByteString id) {
        QuerySession query = findOpen(caller, id);
        if (query == null) {
            throw new GatewayException(
                    GatewayErrorCode.NOT_FOUND,
                    "There is no such transaction; it was ended, or its session was closed.");
        }
        return query;
    }

    /** The same, or null. */
    @Nullable
    QuerySession findOpen(Caller caller, ByteString id) {
        String key = id.toStringUtf8();
        Transaction transaction = open.getIfPresent(key);
        if (transaction == null || !transaction.user().equals(caller.user())) {
            return null;
        }
        if (!transaction.query().hasTransaction(key)) {
            // It was ended by a statement.
            open.invalidate(key);
            return null;
        }
        return transaction.query();
    }

    /** Commits or rolls back. One that cannot be committed yet, since a result is open, stays. */
    CompletionStage<Void> end(Caller caller, ByteString id, boolean commit) {
        QuerySession query = find(caller, id);
        String key = id.toStringUtf8();
        return query.end(caller.identity(), commit).whenComplete((nothing, failure) -> {
            if (!query.hasTransaction(key)) {
                open.invalidate(key);
            }
        });
    }

    /** Forgets those that nobody asked for in too long; called again and again. */
    void expire() {
        open.cleanUp();
    }

    /** Ends all. */
    void closeAll() {
        open.invalidateAll();
    }
}
