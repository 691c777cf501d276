package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.netty.channel.AbortedException;

/**
 * Carries one result to the connection. Encodes and pulls only while the connection takes what came before, but for a
 * window of bytes; so memory stays at a batch, a window and a chunk, whatever the size of the result.
 *
 * <p>All work runs in {@link #drain}, on one thread at a time: the engine's when a batch arrives, else one of the encoding
 * pool; never an event loop. Owns source and compressor and closes them once, when no encoding is in progress.
 *
 * <p>Life: {@link #first} gives the first chunk and whether it is all. The caller writes it by {@link #takeFirst}, or by
 * {@link #chunks} when it is not all, and then calls {@link #finish} or {@link #abandon}.
 */
final class ResultPump {

    /** A whole answer below this size gains nothing from compression. */
    private static final int COMPRESS_FROM_BYTES = 1024;

    /** How long a client may take for the last line of a failed NDJSON body. */
    private static final long LAST_LINE_SECONDS = 5;

    /**
     * What an answer begins with.
     *
     * @param whole whether nothing follows
     * @param coding of the body
     */
    record First(boolean whole, ContentCoding coding) {}

    private enum Outcome {
        OPEN,
        FINISHED,
        ABANDONED
    }

    private final ChunkSource source;
    private final ClientConnection connection;
    private final Executor encoding;
    private final ContentCoding wantedCoding;
    private final Consumer<GatewayException> onFault;
    private final CompletableFuture<First> first = new CompletableFuture<>();
    private final CompletableFuture<Void> closedStage = new CompletableFuture<>();
    private final AtomicReference<@Nullable ByteBuf> firstChunk = new AtomicReference<>();

    private final DeliveryWindow window;
    private final AtomicInteger work = new AtomicInteger();
    private final AtomicReference<Outcome> outcome = new AtomicReference<>(Outcome.OPEN);
    private final AtomicReference<@Nullable GatewayException> failure = new AtomicReference<>();
    private volatile @Nullable CoreSubscriber<? super ByteBuf> subscriber;

    // The rest is touched in drain() only.
    private @Nullable ChunkCompressor compressor;
    private volatile boolean graceOver;
    private boolean graceStarted;
    private boolean started;
    private boolean bodyDone;
    private boolean closed;

    /**
     * @param wantedCoding of the body; small bodies stay as they are
     * @param encoding where encoding goes on when the event loop asks for more
     * @param onFault told when the result cannot be encoded
     */
    ResultPump(
            ChunkSource source,
            ContentCoding wantedCoding,
            ClientConnection connection,
            Executor encoding,
            Consumer<GatewayException> onFault) {
        this.source = source;
        this.wantedCoding = wantedCoding;
        this.connection = connection;
        this.encoding = encoding;
        this.onFault = onFault;
        this.window =
                new DeliveryWindow(connection, bytes -> source.stream().delivered(bytes), this::drain, this::abandon);
    }

    /** Starts; completes with the first chunk ready, or fails with a {@link GatewayException}. */
    CompletionStage<First> first() {
        source.stream().aborted().thenAccept(this::fail);
        drain();
        return first;
    }

    /** Completes when everything is given back. */
    CompletionStage<Void> closed() {
        return closedStage;
    }

    /** The first chunk, once; the caller owns it. Null when the pump was closed meanwhile. */
    @Nullable
    ByteBuf takeFirst() {
        return firstChunk.getAndSet(null);
    }

    /** The chunks of an answer that is not whole, from the first on. Subscribe once; the subscriber owns them. */
    Flux<ByteBuf> chunks() {
        return new Flux<>() {
            @Override
            public void subscribe(CoreSubscriber<? super ByteBuf> actual) {
                actual.onSubscribe(new Demand());
                subscriber = actual;
                drain();
            }
        };
    }

    /**
     * The connection took everything.
     *
     * @param bytes of an answer that was whole; 0 after chunks, which were counted
     */
    void finish(long bytes) {
        if (bytes > 0) {
            source.stream().delivered(bytes);
        }
        if (outcome.compareAndSet(Outcome.OPEN, Outcome.FINISHED)) {
            drain();
        }
    }

    /** The client is gone. Idempotent; no effect after {@link #finish}. */
    void abandon() {
        if (outcome.compareAndSet(Outcome.OPEN, Outcome.ABANDONED)) {
            drain();
        }
    }

    private void fail(GatewayException reason) {
        if (failure.compareAndSet(null, reason)) {
            drain();
        }
    }

    private void drain() {
        if (work.getAndIncrement() != 0) {
            return;
        }
        // Also for closing: the end of a query is logged and counted on the thread that closes its stream.
        if (Schedulers.isInNonBlockingThread()) {
            try {
                encoding.execute(this::run);
                return;
            } catch (RejectedExecutionException e) {
                outcome.compareAndSet(Outcome.OPEN, Outcome.ABANDONED);
            }
        }
        run();
    }

    private void run() {
        int missed = 1;
        do {
            if (!closed) {
                step();
            }
            missed = work.addAndGet(-missed);
        } while (missed != 0);
    }

    private void step() {
        Outcome now = outcome.get();
        if (now == Outcome.FINISHED) {
            window.written();
        }
        if (now == Outcome.ABANDONED || (now == Outcome.FINISHED && window.isEmpty())) {
            close();
            return;
        }
        if (failure.get() == null && now == Outcome.OPEN) {
            try {
                pump();
            } catch (Throwable thrown) {
                GatewayException fault = Problems.of(thrown);
                failure.compareAndSet(null, fault);
                onFault.accept(fault);
            }
        }
        GatewayException failed = failure.get();
        // After the last byte was taken nothing that happens to the query concerns its client.
        if (failed != null && now == Outcome.OPEN) {
            tell(failed);
        }
    }

    private void pump() {
        while (!bodyDone && (!first.isDone() || mayEmit())) {
            ByteBuf chunk = firstChunk.getAndSet(null);
            if (chunk == null) {
                chunk = source.next(this::drain, this::fail);
            }
            boolean last = source.exhausted();
            if (chunk == null && !last) {
                return;
            }
            if (!first.isDone()) {
                giveFirst(chunk == null ? Unpooled.EMPTY_BUFFER : chunk, last);
                return;
            }
            emit(chunk, last);
        }
    }

    private boolean mayEmit() {
        return subscriber != null && window.open() && outcome.get() == Outcome.OPEN && failure.get() == null;
    }

    private void giveFirst(ByteBuf chunk, boolean whole) {
        ContentCoding coding =
                whole && chunk.readableBytes() < COMPRESS_FROM_BYTES ? ContentCoding.IDENTITY : wantedCoding;
        compressor = coding.compressor(connection.allocator());
        firstChunk.set(compressor == null ? chunk : compressor.compress(chunk, whole));
        bodyDone = whole;
        first.complete(new First(whole, coding));
    }

    /**
     * Hands a chunk on. The first is compressed already, and never the last; after the last one a compressed body still
     * needs its end, with or without a chunk.
     */
    private void emit(@Nullable ByteBuf chunk, boolean last) {
        CoreSubscriber<? super ByteBuf> to = subscriber;
        if (to == null) {
            throw new IllegalStateException("no subscriber");
        }
        ByteBuf bytes = chunk;
        if (started && compressor != null) {
            bytes = compressor.compress(bytes == null ? Unpooled.EMPTY_BUFFER : bytes, last);
        }
        started = true;
        if (bytes != null) {
            ByteBuf sent = bytes;
            window.send(bytes.readableBytes(), () -> to.onNext(sent));
        }
        if (last) {
            bodyDone = true;
            to.onComplete();
        }
    }

    /** Tells the client of a failure in the way that is left, and closes. */
    private void tell(GatewayException failed) {
        CoreSubscriber<? super ByteBuf> to = subscriber;
        if (!first.isDone()) {
            close();
            first.completeExceptionally(failed);
        } else if (started && to != null) {
            if (mayBreakOff(failed)) {
                breakOff(to, failed);
            }
        } else if (to != null) {
            // Nothing was sent: the error handler still can answer.
            close();
            to.onError(failed);
        } else if (bodyDone) {
            // A whole answer that the client does not take.
            connection.reset();
            close();
        }
    }

    /** Not while the framework still holds the first chunk: last words would overtake it. Waits for that, but not long. */
    private boolean mayBreakOff(GatewayException failed) {
        if (!window.heldBack() || graceOver || failed.code() == GatewayErrorCode.CLIENT_STALLED) {
            return true;
        }
        if (!graceStarted) {
            graceStarted = true;
            CompletableFuture.delayedExecutor(LAST_LINE_SECONDS, TimeUnit.SECONDS, encoding)
                    .execute(() -> {
                        graceOver = true;
                        drain();
                    });
        }
        return false;
    }

    /** Ends a body that has begun so that nobody takes it for a whole one. */
    private void breakOff(CoreSubscriber<? super ByteBuf> to, GatewayException failed) {
        boolean listening = !window.heldBack() && failed.code() != GatewayErrorCode.CLIENT_STALLED;
        boolean told = listening && !bodyDone && lastWords(to, failed);
        CompletionStage<Void> broken = told
                ? connection
                        .flushed()
                        .toCompletableFuture()
                        .orTimeout(LAST_LINE_SECONDS, TimeUnit.SECONDS)
                        .handle((nothing, thrown) -> thrown == null)
                        .thenCompose(taken -> taken ? connection.closeUnfinished() : connection.reset())
                : connection.reset();
        boolean whole = bodyDone;
        close();
        if (!whole) {
            // As if the client had gone: the framework has nothing to add, and nothing to log.
            broken.whenComplete((nothing, thrown) -> to.onError(new AbortedException("answer broken off")));
        }
    }

    private boolean lastWords(CoreSubscriber<? super ByteBuf> to, GatewayException failed) {
        try {
            if (!source.writeFailure(failed)) {
                return false;
            }
            while (!source.exhausted()) {
                ByteBuf rest = source.next(() -> {}, ignored -> {});
                if (rest == null) {
                    break;
                }
                if (!window.wanted()) {
                    rest.release();
                    return false;
                }
                ByteBuf last = compressor == null ? rest : compressor.compress(rest, false);
                window.send(last.readableBytes(), () -> to.onNext(last));
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private void close() {
        closed = true;
        bodyDone = true;
        if (compressor != null) {
            compressor.close();
        }
        ByteBuf untaken = firstChunk.getAndSet(null);
        if (untaken != null) {
            untaken.release();
        }
        source.close();
        closedStage.complete(null);
    }

    private final class Demand implements Subscription {
        @Override
        public void request(long n) {
            window.request(n);
        }

        @Override
        public void cancel() {
            abandon();
        }
    }
}
