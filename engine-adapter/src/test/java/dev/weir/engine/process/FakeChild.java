package dev.weir.engine.process;

import dev.weir.engine.QueryEngine;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A child without a process. */
final class FakeChild implements Child {

    final FakeEngine engine = new FakeEngine();
    private final long number;
    private final ChildRequest request;
    private final CompletableFuture<ChildExit> exited = new CompletableFuture<>();
    volatile boolean killed;
    volatile boolean stopped;
    private volatile boolean used;

    FakeChild(long number, ChildRequest request) {
        this.number = number;
        this.request = request;
    }

    /** Ends as if nobody had asked for it. */
    void crash(int code, boolean memory) {
        exited.complete(new ChildExit(code, memory, false));
    }

    @Override
    public String name() {
        return "fake-" + number;
    }

    @Override
    public long pid() {
        return number;
    }

    @Override
    public QueryEngine engine() {
        return engine;
    }

    @Override
    public ChildRequest request() {
        return request;
    }

    @Override
    public Instant since() {
        return Instant.ofEpochSecond(number);
    }

    @Override
    public void markUsed() {
        used = true;
    }

    @Override
    public boolean isUsed() {
        return used;
    }

    @Override
    public CompletionStage<ChildExit> exited() {
        return exited;
    }

    @Override
    public void kill() {
        killed = true;
        exited.complete(new ChildExit(137, false, true));
    }

    @Override
    public void stop() {
        stopped = true;
        exited.complete(new ChildExit(0, false, true));
    }
}
