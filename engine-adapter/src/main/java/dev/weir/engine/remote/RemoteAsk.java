package dev.weir.engine.remote;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** A question with one answer; it is not asked again when its call breaks. */
final class RemoteAsk<T> implements EngineCall<T>, Conversation, Exchange.Owner {

    private final Conversations all;
    private final BiFunction<Reply, Frame, T> answer;
    private final boolean ofEngine;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final SynchronizationContext sync =
            new SynchronizationContext((thread, thrown) -> abandon(Failures.internal(thrown)));
    private @Nullable Exchange exchange;
    private SynchronizationContext.@Nullable ScheduledHandle timeout;
    private @Nullable Runnable outcome;
    private volatile boolean cancelled;

    /**
     * @param ofEngine whether the engine is asked, which takes its time and is counted; else the worker is, which has
     *     the connect timeout for all of it
     */
    RemoteAsk(Conversations all, BiFunction<Reply, Frame, T> answer, boolean ofEngine) {
        this.all = all;
        this.answer = answer;
        this.ofEngine = ofEngine;
    }

    RemoteAsk<T> start(Frame command) {
        sync.execute(() -> {
            ManagedChannel channel = all.channel();
            if (channel == null) {
                result.completeExceptionally(Failures.closed());
                stopped.complete(null);
                return;
            }
            if (ofEngine) {
                all.add(this);
            }
            Exchange made = new Exchange(channel, sync, this);
            exchange = made;
            made.start(all.settings().secret(), command);
            made.request();
            Duration most = all.settings().connectTimeout();
            timeout = sync.schedule(() -> timedOut(made), most, all.timer());
        });
        return this;
    }

    private void timedOut(Exchange late) {
        if (!stopped.isDone()) {
            settle(() -> result.completeExceptionally(failure(Status.DEADLINE_EXCEEDED)));
            late.abort("No answer in time");
            // Whatever else is under way on that connection waits in vain as well.
            all.discard(late.channel());
        }
    }

    private EngineException failure(Status status) {
        // A question changes nothing: where it was lost, it may as well never have come.
        return Failures.notReached(all.settings().name(), status);
    }

    @Override
    public void taken(Exchange from) {
        if (ofEngine && timeout != null) {
            timeout.cancel();
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
        if (timeout != null) {
            timeout.cancel();
        }
        all.remove(this);
        stopped.complete(null);
        how.run();
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
                if (exchange != null) {
                    exchange.say(Control.CANCEL);
                }
            }
        });
    }

    @Override
    public void ping() {
        sync.execute(() -> {
            if (exchange != null) {
                exchange.say(Control.PING);
            }
        });
    }

    @Override
    public void lost(ManagedChannel channel) {
        sync.execute(() -> {
            if (exchange != null && exchange.channel() == channel) {
                exchange.abort("The connection is lost");
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

    @Override
    public boolean isUnstopped() {
        return cancelled;
    }
}
