package dev.weir.gateway.flightsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ServerCall;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Holds a call's events until the call may start, then hands them on in order.
 *
 * <p>Few events can wait here: no message arrives before the started call asks for one.
 */
final class DeferredListener<Q> extends ServerCall.Listener<Q> {

    @GuardedBy("this")
    private final Queue<Consumer<ServerCall.Listener<Q>>> waiting = new ArrayDeque<>();

    /** Set once everything that waited was handed on. */
    private volatile ServerCall.@Nullable Listener<Q> open;

    /** Hands on what waited and lets everything later through. Called once. */
    void openTo(ServerCall.Listener<Q> target) {
        while (true) {
            Consumer<ServerCall.Listener<Q>> event;
            synchronized (this) {
                event = waiting.poll();
                if (event == null) {
                    open = target;
                    return;
                }
            }
            event.accept(target);
        }
    }

    private void handle(Consumer<ServerCall.Listener<Q>> event) {
        ServerCall.Listener<Q> target = open;
        if (target == null) {
            synchronized (this) {
                target = open;
                if (target == null) {
                    waiting.add(event);
                    return;
                }
            }
        }
        event.accept(target);
    }

    @Override
    public void onMessage(Q message) {
        handle(target -> target.onMessage(message));
    }

    @Override
    public void onHalfClose() {
        handle(ServerCall.Listener::onHalfClose);
    }

    @Override
    public void onCancel() {
        handle(ServerCall.Listener::onCancel);
    }

    @Override
    public void onComplete() {
        handle(ServerCall.Listener::onComplete);
    }

    @Override
    public void onReady() {
        handle(ServerCall.Listener::onReady);
    }
}
