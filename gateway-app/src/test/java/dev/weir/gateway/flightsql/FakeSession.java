package dev.weir.gateway.flightsql;

import dev.weir.auth.Identity;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QuerySession;
import dev.weir.gateway.query.ResultStream;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** A session of the fake: it passes statements on and remembers what was asked of it. */
final class FakeSession implements QuerySession {

    final List<String> statements = new CopyOnWriteArrayList<>();
    final List<String> ends = new CopyOnWriteArrayList<>();
    private final FakeQueries queries;
    private volatile SessionSettings settings = SessionSettings.NONE;
    private volatile String transaction;
    volatile boolean closed;

    /** Whether it owns temporary objects. */
    volatile boolean temporary;

    FakeSession(FakeQueries queries) {
        this.queries = queries;
    }

    @Override
    public QueryExecution submit(Identity identity, QueryRequest request) {
        statements.add(request.sql());
        return queries.submit(identity, request);
    }

    @Override
    public CompletionStage<Description> describe(Identity identity, String sql, SessionSettings with) {
        return queries.describe(identity, sql, with);
    }

    @Override
    public SessionSettings settings() {
        return settings;
    }

    @Override
    public void settings(SessionSettings value) {
        settings = value;
    }

    @Override
    public CompletionStage<String> begin(Identity identity, boolean readOnly) {
        if (transaction != null) {
            return CompletableFuture.failedFuture(new GatewayException(GatewayErrorCode.CONFLICT, "There is one."));
        }
        transaction = UUID.randomUUID().toString();
        return CompletableFuture.completedFuture(transaction);
    }

    @Override
    public CompletionStage<Void> end(Identity identity, boolean commit) {
        ends.add(commit ? "commit" : "rollback");
        transaction = null;
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public boolean hasTransaction(String id) {
        return id.equals(transaction);
    }

    @Override
    public boolean inTransaction() {
        return transaction != null;
    }

    @Override
    public boolean isPinned() {
        return transaction != null || temporary;
    }

    @Override
    public void close() {
        closed = true;
        transaction = null;
    }

    @Override
    public CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request) {
        return queries.metadata(identity, request);
    }
}
