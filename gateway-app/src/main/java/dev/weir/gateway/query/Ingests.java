package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import dev.weir.engine.StatementRunner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/** The bulk ingests under way, and the memory of what was uploaded for them. Thread-safe. */
final class Ingests {

    /** Of all uploads together. */
    private static final long MEMORY_BYTES = 1L << 30;

    /** An ingest belongs to its user. */
    private record Key(String user, String ingest) {}

    private final BufferAllocator memory = new RootAllocator(MEMORY_BYTES);
    private final Timers timers;
    private final Function<Identity, Duration> stallTimeout;
    private final BiFunction<Ingest, IngestRequest, QueryRun> submit;
    private final Map<Key, Ingest> named = new HashMap<>();

    Ingests(
            Timers timers,
            Function<Identity, Duration> stallTimeout,
            BiFunction<Ingest, IngestRequest, QueryRun> submit) {
        this.timers = timers;
        this.stallTimeout = stallTimeout;
        this.submit = submit;
    }

    /**
     * Opens an ingest, or joins the one that the part is of.
     *
     * @param runner the engine, or the session that the rows are loaded in
     */
    IngestInlet open(Identity identity, IngestRequest request, StatementRunner runner) {
        IngestRequest.Part part = request.part();
        if (part == null) {
            return ingest(identity, request, runner, null).join(request, runner);
        }
        Key key = new Key(identity.user(), part.ingest());
        Ingest ingest;
        synchronized (named) {
            ingest = named.computeIfAbsent(key, absent -> ingest(identity, request, runner, absent));
        }
        return ingest.join(request, runner);
    }

    private Ingest ingest(Identity identity, IngestRequest request, StatementRunner runner, @Nullable Key key) {
        return new Ingest(
                identity, request, runner, memory, timers, stallTimeout.apply(identity), submit, () -> forget(key));
    }

    private void forget(@Nullable Key key) {
        if (key != null) {
            synchronized (named) {
                named.remove(key);
            }
        }
    }

    /** Held now for uploads. */
    long bytes() {
        return memory.getAllocatedMemory();
    }
}
