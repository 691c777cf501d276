package dev.weir.gateway.query;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A session of the fake engine: transactions begin and end at once, statements when the test says so. */
final class FakeEngineSession implements EngineSession {

    final Access access;
    final List<FakeEngine.Call<ArrowResult>> calls = new ArrayList<>();
    final List<EngineQuery> queries = new ArrayList<>();
    final List<FakeEngine.Call<StatementDescription>> describes = new ArrayList<>();
    final List<String> ends = new ArrayList<>();
    final CompletableFuture<Void> closed = new CompletableFuture<>();
    volatile boolean transaction;
    volatile boolean temporary;
    volatile SessionSettings settings = SessionSettings.NONE;

    FakeEngineSession(Access access) {
        this.access = access;
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        FakeEngine.Call<StatementDescription> call = new FakeEngine.Call<>();
        describes.add(call);
        return call;
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        FakeEngine.Call<ArrowResult> call = new FakeEngine.Call<>();
        calls.add(call);
        queries.add(query);
        return call;
    }

    private EngineCall<Void> at(String what, boolean wanted) {
        FakeEngine.Call<Void> call = new FakeEngine.Call<>();
        if (transaction != wanted) {
            call.fail(EngineFailure.CONFLICT, "no: " + what);
            return call;
        }
        ends.add(what);
        transaction = !wanted;
        call.open(null);
        call.stopped.complete(null);
        return call;
    }

    @Override
    public EngineCall<Void> begin(boolean readOnly) {
        return at("begin", false);
    }

    @Override
    public EngineCall<Void> commit() {
        return at("commit", true);
    }

    @Override
    public EngineCall<Void> rollback() {
        return at("rollback", true);
    }

    @Override
    public boolean inTransaction() {
        return transaction;
    }

    @Override
    public boolean hasTemporaryObjects() {
        return temporary;
    }

    @Override
    public SessionSettings settings() {
        return settings;
    }

    @Override
    public CompletionStage<Void> closed() {
        return closed;
    }

    @Override
    public void close() {
        transaction = false;
        for (FakeEngine.Call<ArrowResult> call : calls) {
            call.result.completeExceptionally(new EngineException(EngineFailure.CANCELLED, "closed"));
        }
        closed.complete(null);
    }
}
