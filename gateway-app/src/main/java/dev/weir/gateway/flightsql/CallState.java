package dev.weir.gateway.flightsql;

import io.grpc.Metadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What one call gathers on its way: response headers to come, and what to do when it is over; and its way past
 * flight-core's encoder. Thread-safe.
 */
final class CallState {

    private final Metadata headers = new Metadata();
    private List<Runnable> atEnd = new ArrayList<>();
    private boolean over;
    private Map<String, String> ingestOptions = Map.of();
    private Map<String, String> tags = Map.of();
    private Consumer<RelayedBatch> relay = batch -> {
        batch.close();
        throw new IllegalStateException("a call that relays nothing");
    };

    /** The options of an ingest that came as headers, by their names as options. */
    synchronized Map<String, String> ingestOptions() {
        return ingestOptions;
    }

    synchronized void ingestOptions(Map<String, String> options) {
        ingestOptions = options;
    }

    /** For the queries that the call begins. */
    synchronized Map<String, String> tags() {
        return tags;
    }

    synchronized void tags(Map<String, String> given) {
        tags = given;
    }

    /** Sends batches that are encoded already. @param sender takes them over */
    synchronized void relayBy(Consumer<RelayedBatch> sender) {
        relay = sender;
    }

    /**
     * Hands a batch to the transport after what was handed to it before; the call must have been started. Takes the batch
     * over in any case.
     */
    void relay(RelayedBatch batch) {
        Consumer<RelayedBatch> sender;
        synchronized (this) {
            sender = relay;
        }
        sender.accept(batch);
    }

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
