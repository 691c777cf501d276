package dev.weir.gateway.flightsql;

import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;

/** What one call gathers on its way: response headers to come, and what to do when it is over. Thread-safe. */
final class CallState {

    private final Metadata headers = new Metadata();
    private List<Runnable> atEnd = new ArrayList<>();
    private boolean over;

    /** Adds a response header; without effect once the headers were sent. */
    synchronized void header(Metadata.Key<String> key, String value) {
        headers.discardAll(key);
        headers.put(key, value);
    }

    /** Copies the gathered headers into those to be sent. */
    synchronized void addHeadersTo(Metadata target) {
        target.merge(headers);
    }

    /** Runs the action once the transport has sent everything or has lost the client; at once when that was so already. */
    void atEnd(Runnable action) {
        synchronized (this) {
            if (!over) {
                atEnd.add(action);
                return;
            }
        }
        action.run();
    }

    /** The call is over. Idempotent. */
    void end() {
        List<Runnable> actions;
        synchronized (this) {
            over = true;
            actions = atEnd;
            atEnd = new ArrayList<>();
        }
        actions.forEach(Runnable::run);
    }
}
