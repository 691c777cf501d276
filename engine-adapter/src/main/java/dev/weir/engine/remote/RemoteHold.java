package dev.weir.engine.remote;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds a session on the worker by a call that stays open: the session ends with it. Never resumed. */
final class RemoteHold implements Conversation, Exchange.Owner {

    private final Conversations all;
    private final CompletableFuture<Void> held = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final SynchronizationContext sync =
            new SynchronizationContext((thread, thrown) -> settle(Failures.internal(thrown)));
    private @Nullable Exchange exchange;
    private SynchronizationContext.@Nullable ScheduledHandle timeout;

    RemoteHold(Conversations all) {
        this.all = all;
    }

    RemoteHold start(Frame command) {
        sync.execute(() -> {
            ManagedChannel channel = all.channel();
            if (channel == null) {
                settle(Failures.closed());
                return;
            }
            all.add(this);
            Exchange made = new Exchange(channel, sync, this);
            exchange = made;
            made.start(all.settings().secret(), command);
            made.request();
            timeout = sync.schedule(
                    () -> made.abort("No answer in time"),
                    all.settings().connectTimeout().toNanos(),
                    TimeUnit.NANOSECONDS,
                    all.timer());
        });
        return this;
    }

    /** Completes when the worker holds the session, or with the failure to make it. */
    CompletionStage<Void> held() {
        return held;
    }

    /** Whether it ended before there was a session. */
    boolean wasRefused() {
        return held.isCompletedExceptionally();
    }

    /** Whether it has ended. */
    boolean isOver() {
        return stopped.isDone();
    }

    @Override
    public void taken(Exchange from) {}

    @Override
    public void told(Exchange from, Reply reply, Frame frame) {
        frame.close();
        stopTimeout();
        if (reply instanceof Reply.Failed failed) {
            held.completeExceptionally(failed.toException());
        } else {
            held.complete(null);
        }
        from.request();
    }

    @Override
    public void over(Exchange from, Status status) {
        settle(Failures.notReached(all.settings().name(), status));
    }

    private void settle(EngineException why) {
        stopTimeout();
        all.remove(this);
        held.completeExceptionally(why);
        stopped.complete(null);
    }

    private void stopTimeout() {
        if (timeout != null) {
            timeout.cancel();
        }
    }

    /** What a statement gets whose session has ended without being asked to. */
    static EngineException lost() {
        return new EngineException(
                EngineFailure.LOST,
                "The connection to the process that held the session was lost; its transaction was rolled back, its"
                        + " temporary objects are gone",
                "08006",
                -1,
                null);
    }

    @Override
    public void cancel() {
        sync.execute(() -> {
            if (exchange != null) {
                exchange.say(Control.CANCEL);
            }
        });
    }

    @Override
    public void abandon() {
        sync.execute(() -> {
            if (exchange != null) {
                exchange.abort("Given up");
            }
            settle(Failures.closed());
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
    public boolean isOpen() {
        return false;
    }

    @Override
    public boolean isActive() {
        return false;
    }

    @Override
    public boolean isUnstopped() {
        return false;
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }
}
