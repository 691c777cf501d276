package dev.weir.engine.remote;

import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import io.grpc.ManagedChannel;
import io.grpc.SynchronizationContext;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What conversations have in common: one exchange at a time, one timer, and a context in which everything happens, one
 * thing at a time, on whichever thread brings it.
 */
abstract class BaseConversation implements Conversation, Exchange.Owner {

    final Conversations all;
    final SynchronizationContext sync;

    /** The one under way; null between two. Touched in the context. */
    @Nullable
    Exchange exchange;

    volatile boolean cancelled;
    private SynchronizationContext.@Nullable ScheduledHandle timer;

    BaseConversation(Conversations all) {
        this.all = all;
        this.sync = new SynchronizationContext((thread, thrown) -> failed(thrown));
    }

    /** A fault of the program in what happened in the context; called in it. */
    abstract void failed(Throwable thrown);

    /** Begins an exchange with this command; nothing comes before it is requested. */
    final Exchange begin(ManagedChannel channel, Frame command) {
        Exchange made = new Exchange(channel, sync, this);
        exchange = made;
        made.start(all.settings().secret(), command);
        return made;
    }

    /** Runs this in the context after a while, unless the timer is stopped or started again before. */
    final void after(long nanos, Runnable what) {
        stopTimer();
        timer = sync.schedule(what, nanos, TimeUnit.NANOSECONDS, all.timer());
    }

    final void stopTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Says this in the exchange under way, if there is one. */
    final void say(Control control) {
        if (exchange != null) {
            exchange.say(control);
        }
    }

    @Override
    public void ping() {
        sync.execute(() -> say(Control.PING));
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
    public boolean isUnstopped() {
        return cancelled;
    }
}
