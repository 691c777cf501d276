package dev.weir.engine.duckdb;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * A result that streams out of DuckDB. One reader; cancel and close from any thread. The scope orders all access to the
 * buffers: only the thread inside touches them.
 *
 * <p>It comes with its first batch: what fails before that fails as a call, with nothing opened.
 */
final class DuckDbResult implements ArrowResult {

    private final NativeScope scope;
    private final EngineCore core;
    private final BatchSource source;
    private final AtomicReference<@Nullable CompletableFuture<Boolean>> pending = new AtomicReference<>();
    private volatile boolean loaded;
    private volatile boolean ended;
    private volatile @Nullable EngineException failed;

    /** @param loaded whether the first batch is in the source's root; there is none otherwise */
    DuckDbResult(NativeScope scope, EngineCore core, BatchSource source, boolean loaded) {
        this.scope = scope;
        this.core = core;
        this.source = source;
        this.loaded = loaded;
        scope.becomeResult();
    }

    @Override
    public Schema schema() {
        return source.root().getSchema();
    }

    @Override
    public VectorSchemaRoot root() {
        return source.root();
    }

    @Override
    public DictionaryProvider dictionaries() {
        return new DictionaryProvider.MapDictionaryProvider();
    }

    @Override
    public CompletionStage<Boolean> next() {
        CompletableFuture<Boolean> batch = new CompletableFuture<>();
        CompletableFuture<Boolean> before = pending.get();
        if ((before != null && !before.isDone()) || !pending.compareAndSet(before, batch)) {
            throw new IllegalStateException("The batch before is still being read");
        }
        if (ended) {
            batch.complete(false);
        } else if (!scope.isEnding() && loaded) {
            loaded = false;
            batch.complete(true);
        } else if (scope.isEnding() || !core.threads().run(() -> read(batch))) {
            batch.completeExceptionally(failure());
        }
        return batch;
    }

    private EngineException failure() {
        EngineException known = failed;
        return known == null ? ErrorTranslator.cancelled() : known;
    }

    private void read(CompletableFuture<Boolean> batch) {
        if (!scope.enter()) {
            batch.completeExceptionally(failure());
            return;
        }
        try {
            if (source.next()) {
                scope.leave();
                batch.complete(true);
            } else {
                ended = true;
                scope.finish();
                batch.complete(false);
            }
        } catch (Exception | LinkageError | OutOfMemoryError e) {
            if (!scope.isEnding()) {
                failed = core.health().observe(source.translate(e));
            }
            scope.fail();
            batch.completeExceptionally(failure());
        }
    }

    @Override
    public OptionalLong updateCount() {
        return OptionalLong.empty();
    }

    @Override
    public void cancel() {
        scope.cancel();
        CompletableFuture<Boolean> batch = pending.get();
        if (batch != null && !batch.isDone()) {
            batch.completeExceptionally(ErrorTranslator.cancelled());
        }
    }

    @Override
    public CompletionStage<Void> stopped() {
        return scope.stopped();
    }

    @Override
    public void close() {
        cancel();
    }
}
