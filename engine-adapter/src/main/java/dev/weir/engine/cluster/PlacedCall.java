package dev.weir.engine.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.QueryEngine;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A call that takes no slot (a description, a catalog question, a check), asked of one worker after the other until one
 * answers. Thread-safe.
 */
final class PlacedCall<T> implements EngineCall<T> {

    private final Members members;
    private final WorkersListener listener;
    private final Function<QueryEngine, EngineCall<T>> ask;
    private final Consumer<T> discard;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private final Set<Member> tried = new HashSet<>();

    @GuardedBy("this")
    private @Nullable EngineCall<T> call;

    @GuardedBy("this")
    private boolean cancelled;

    private PlacedCall(
            Members members, WorkersListener listener, Function<QueryEngine, EngineCall<T>> ask, Consumer<T> discard) {
        this.members = members;
        this.listener = listener;
        this.ask = ask;
        this.discard = discard;
    }

    /**
     * @param discard gets an answer that came after the call was cancelled
     */
    static <T> PlacedCall<T> start(
            Members members, WorkersListener listener, Function<QueryEngine, EngineCall<T>> ask, Consumer<T> discard) {
        PlacedCall<T> call = new PlacedCall<>(members, listener, ask, discard);
        call.next(null);
        return call;
    }

    private void next(@Nullable EngineException because) {
        Member member;
        EngineCall<T> started;
        boolean late;
        try {
            synchronized (this) {
                if (cancelled) {
                    throw Tries.cancelled();
                }
                member = members.any(tried);
                tried.add(member);
            }
            started = ask.apply(member.link.engine());
            synchronized (this) {
                call = started;
                late = cancelled;
            }
        } catch (EngineException e) {
            stopped.complete(null);
            result.completeExceptionally(because == null ? e : because);
            return;
        }
        if (late) {
            started.cancel();
        }
        started.result().whenComplete((value, thrown) -> {
            if (thrown == null) {
                answered(started, value);
            } else {
                failed(member, started, Tries.engineFailure(thrown));
            }
        });
    }

    private void answered(EngineCall<T> started, T value) {
        if (!result.complete(value)) {
            discard.accept(value);
        }
        stoppedWith(started);
    }

    private void failed(Member member, EngineCall<T> started, EngineException failure) {
        boolean again;
        synchronized (this) {
            again = !cancelled && Tries.mayGoElsewhere(failure.failure());
        }
        members.failed(member, failure.failure());
        if (again) {
            listener.retried(member.address.name(), failure.failure());
            next(failure);
        } else {
            result.completeExceptionally(failure);
            stoppedWith(started);
        }
    }

    private void stoppedWith(EngineCall<T> started) {
        started.stopped().whenComplete((nothing, never) -> stopped.complete(null));
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public void cancel() {
        EngineCall<T> running;
        synchronized (this) {
            cancelled = true;
            running = call;
        }
        result.completeExceptionally(Tries.cancelled());
        if (running != null) {
            running.cancel();
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
