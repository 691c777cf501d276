package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.ResultStream;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.jspecify.annotations.Nullable;

/** Batches that come as vectors, and are encoded by flight-core. */
final class DecodedBatches implements Batches {

    private final ResultStream result;
    private final ServerStreamListener listener;
    private @Nullable BatchWindow window;

    DecodedBatches(ResultStream result, ServerStreamListener listener) {
        this.result = result;
        this.listener = listener;
    }

    @Override
    public CompletionStage<Boolean> load() {
        return result.next();
    }

    @Override
    public long loaded(boolean more) {
        if (window == null) {
            window = new BatchWindow(result.root());
            listener.start(window, result.dictionaries());
        }
        return more ? window.batchLoaded() : 0;
    }

    @Override
    public boolean send() {
        BatchWindow batch = Objects.requireNonNull(window);
        if (batch.hasNext()) {
            batch.showNext(listener::putNext);
        }
        return !batch.hasNext();
    }

    /** Nothing: the result owns its root. */
    @Override
    public void close() {}
}
