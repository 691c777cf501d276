package dev.weir.engine.process;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

/** Starts fake children: at once, or when the test says so. */
final class FakeFactory implements ChildFactory {

    /** A start that the test completes. */
    record Start(ChildRequest request, CompletableFuture<Child> child) {}

    final List<Start> pending = new CopyOnWriteArrayList<>();
    final List<FakeChild> started = new CopyOnWriteArrayList<>();
    volatile boolean atOnce = true;
    volatile boolean closed;

    @Override
    public synchronized CompletionStage<Child> start(ChildRequest request) {
        CompletableFuture<Child> child = new CompletableFuture<>();
        Start start = new Start(request, child);
        if (atOnce) {
            complete(start);
        } else {
            pending.add(start);
        }
        return child;
    }

    FakeChild complete(Start start) {
        pending.remove(start);
        FakeChild child = new FakeChild(started.size() + 1, start.request());
        started.add(child);
        start.child().complete(child);
        return child;
    }

    void fail(Start start) {
        pending.remove(start);
        start.child().completeExceptionally(new ChildStartException("database", "No such luck", null));
    }

    FakeChild last() {
        return started.get(started.size() - 1);
    }

    @Override
    public String limit() {
        return "none";
    }

    @Override
    public void close() {
        closed = true;
    }
}
