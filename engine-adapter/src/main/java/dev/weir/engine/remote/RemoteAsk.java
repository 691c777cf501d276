package dev.weir.engine.remote;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A question with one answer; it is not asked again when its call breaks. */
final class RemoteAsk<T> extends BaseConversation implements EngineCall<T> {

    /** Whose answer is waited for, and so how long. */
    enum Asked {
        /** The worker itself: it has the connect timeout for all of it, or its connection is broken. */
        WORKER,
        /** The engine, which takes its time and is counted. */
        ENGINE,
        /** The engine, for a figure that nobody misses: it has the connect timeout, and is not asked again. */
        FIGURE
    }

    private final BiFunction<Reply, Frame, T> answer;
    private final Asked asked;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private @Nullable Runnable outcome;

    RemoteAsk(Conversations all, BiFunction<Reply, Frame, T> answer, Asked asked) {
        super(all);
        this.answer = answer;
        this.asked = asked;
    }

    RemoteAsk<T> start(Frame command) {
        sync.execute(() -> {
            ManagedChannel channel = all.channel();
            if (channel == null) {
                result.completeExceptionally(Failures.closed());
                stopped.complete(null);
                return;
            }
            if (asked == Asked.ENGINE) {
                all.add(this);
            }
            Exchange made = begin(channel, command);
            made.request();
            after(all.settings().connectTimeout().toNanos(), () -> timedOut(made));
        });
        return this;
    }

    private void timedOut(Exchange late) {
        if (!stopped.isDone()) {
            settle(() -> result.completeExceptionally(failure(Status.DEADLINE_EXCEEDED)));
            late.abort("No answer in time");
            if (asked != Asked.FIGURE) {
                // Whatever else is under way on that connection waits in vain as well.
                all.discard(late.channel());
            }
        }
    }

    private EngineException failure(Status status) {
        // A question changes nothing: where it was lost, it may as well never have come.
        return Failures.notReached(all.settings().name(), status);
    }

    @Override
    public void taken(Exchange from) {
        if (asked == Asked.ENGINE) {
            stopTimer();
        }
    }

    @Override
    public void told(Exchange from, Reply reply, Frame frame) {
        try (AutoCloseable closing = frame::close) {
            if (reply instanceof Reply.Failed failed) {
                outcome = () -> result.completeExceptionally(failed.toException());
            } else {
                T value = answer.apply(reply, frame);
                outcome = () -> result.complete(value);
            }
        } catch (Exception e) {
            outcome = () -> result.completeExceptionally(Failures.internal(e));
        }
    }

    @Override
    public void over(Exchange from, Status status) {
        Runnable known = outcome;
        settle(known == null ? () -> result.completeExceptionally(failure(status)) : known);
    }

    private void settle(Runnable how) {
        stopTimer();
        all.remove(this);
        stopped.complete(null);
        how.run();
    }

    @Override
    void failed(Throwable thrown) {
        abandon(Failures.internal(thrown));
    }

    private void abandon(EngineException why) {
        sync.execute(() -> {
            if (exchange != null) {
                exchange.abort("Given up");
            }
            settle(() -> result.completeExceptionally(why));
        });
    }

    @Override
    public void abandon() {
        abandon(Failures.closed());
    }

    @Override
    public void cancel() {
        sync.execute(() -> {
            if (!cancelled && !stopped.isDone()) {
                cancelled = true;
                result.completeExceptionally(Failures.cancelled());
                say(Control.CANCEL);
            }
        });
    }

    @Override
    public CompletionStage<T> result() {
        return result;
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public boolean isOpen() {
        return false;
    }

    @Override
    public boolean isActive() {
        return !cancelled;
    }
}
