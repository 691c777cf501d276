package dev.weir.engine.remote;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.wire.Command;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run on the worker and its result, over as many calls as it takes. The numbers of the batches are checked here: a
 * result is whole, or fails.
 */
final class RemoteRun extends BaseConversation implements RemoteResult.Source {

    private static final Logger log = LoggerFactory.getLogger(RemoteRun.class);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** More breaks than this, one after the other and without a word between, are no accident. */
    private static final int MAX_FRUITLESS = 100;

    private final String token;
    private final Frame command;
    private final BooleanSupplier read;
    /** What goes the other way meanwhile; null for none. */
    private final @Nullable Upload upload;

    private final CompletableFuture<ArrowResult> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();
    private final CompletableFuture<Void> callStopped = new CompletableFuture<>();

    private volatile @Nullable RemoteResult result;
    /** Whether the worker may know of it. */
    private boolean sent;
    /** Whether the end or the failure has come. */
    private boolean ended;
    /** Whether nothing more is expected of the worker. */
    private boolean settled;
    /** Whether the reader knows the end. */
    private boolean drained;

    private long nextSeq;
    private long attemptedAt;
    private long brokenAt;
    private boolean broken;
    private int fruitless;

    /**
     * @param token the one in the command
     * @param read whether it changes nothing, so that it may run elsewhere instead
     * @param feed of what is uploaded for it; null for nothing
     */
    RemoteRun(Conversations all, String token, Frame command, BooleanSupplier read, @Nullable IngestFeed feed) {
        super(all);
        this.token = token;
        this.command = command;
        this.read = read;
        this.upload = feed == null ? null : new Upload(feed, this, this::breakOff);
    }

    RemoteRun start() {
        sync.execute(() -> {
            all.add(this);
            attempt();
        });
        return this;
    }

    private void attempt() {
        if (settled) {
            return;
        }
        if (cancelled && !sent) {
            settle();
            return;
        }
        ManagedChannel channel = all.channel();
        if (channel == null) {
            giveUp(Failures.closed());
            return;
        }
        Exchange made = begin(
                channel, sent ? Frame.of(new Command.Resume(token, nextSeq, result == null, cancelled)) : command);
        RemoteResult reader = result;
        if (reader == null || cancelled || !reader.hasWaiting()) {
            made.request();
        }
        attemptedAt = System.nanoTime();
        long most = all.settings().connectTimeout().toNanos();
        if (broken) {
            long left = all.settings().resume().toNanos() - (attemptedAt - brokenAt);
            most = Math.max(1, Math.min(most, left));
        }
        after(most, () -> made.abort("The worker does not take the call"));
    }

    @Override
    public void taken(Exchange from) {
        if (from == exchange) {
            stopTimer();
            if (broken) {
                all.resumes().incrementAndGet();
            }
            broken = false;
        }
    }

    @Override
    public void told(Exchange from, Reply reply, Frame frame) {
        try {
            if (from != exchange || settled) {
                return;
            }
            fruitless = 0;
            if (reply instanceof Reply.Batch batch) {
                batch(from, batch, frame);
            } else if (reply instanceof Reply.Taken taken && upload != null) {
                upload.taken(taken);
                from.request();
            } else if (reply instanceof Reply.Opened header) {
                header(from, header, frame);
            } else if (reply instanceof Reply.End end) {
                end(from, end);
            } else if (reply instanceof Reply.Failed failed) {
                from.say(Control.DONE);
                ended = true;
                fail(failed.toException());
            }
        } finally {
            frame.close();
        }
    }

    private void header(Exchange from, Reply.Opened header, Frame frame) {
        from.request();
        byte[] schema = frame.header();
        if (cancelled || result != null || schema == null) {
            return;
        }
        Long count = header.updateCount();
        RemoteResult made = new RemoteResult(
                sync,
                this,
                all.allocator(),
                Schemas.read(schema),
                count == null ? OptionalLong.empty() : OptionalLong.of(count));
        result = made;
        callStopped.complete(null);
        opened.complete(made);
    }

    private void batch(Exchange from, Reply.Batch batch, Frame frame) {
        RemoteResult reader = result;
        if (cancelled || reader == null) {
            from.request();
            return;
        }
        if (batch.seq() != nextSeq) {
            breach("batch " + batch.seq() + " instead of " + nextSeq);
            return;
        }
        nextSeq++;
        from.say(Control.ack(nextSeq));
        reader.offer(new WireBatch(batch.rows(), frame, all.encodedBytes()));
    }

    private void end(Exchange from, Reply.End end) {
        if (cancelled) {
            from.request();
            return;
        }
        if (end.batches() != nextSeq || result == null) {
            breach(end.batches() + " batches at its end, " + nextSeq + " came");
            return;
        }
        ended = true;
        from.say(Control.DONE);
        result.end(end.peakMemoryBytes());
    }

    /** What came cannot be right. */
    private void breach(String what) {
        breakOff(Failures.broken(all.settings().name(), what));
    }

    private void breakOff(EngineException why) {
        fail(why);
        cancelNow();
    }

    private void fail(EngineException failure) {
        RemoteResult reader = result;
        if (reader != null) {
            reader.fail(failure);
        } else {
            opened.completeExceptionally(failure);
        }
    }

    @Override
    public void over(Exchange from, Status status) {
        if (from != exchange) {
            return;
        }
        stopTimer();
        exchange = null;
        if (settled) {
            return;
        }
        if (status.isOk() && ended) {
            settle();
        } else if (!sent && (!from.wasSent() || Failures.isFinal(status))) {
            giveUp(Failures.notReached(all.settings().name(), status));
        } else if (upload != null && !upload.isWhole()) {
            giveUp(Failures.uploadBroken(all.settings().name(), status));
        } else {
            sent = true;
            retry(status);
        }
    }

    private void retry(Status status) {
        long now = System.nanoTime();
        if (!broken) {
            broken = true;
            brokenAt = now;
        }
        String worker = all.settings().name();
        boolean late = now - brokenAt >= all.settings().resume().toNanos();
        if (Failures.isFinal(status) || late || isInVain(status) || ++fruitless > MAX_FRUITLESS) {
            giveUp(Failures.lost(worker, status));
        } else {
            log.debug("Worker {}: resuming at batch {} after {}", worker, nextSeq, status);
            long pause = now - attemptedAt < PAUSE_NANOS ? PAUSE_NANOS : 0;
            after(pause, this::attempt);
        }
    }

    /**
     * Whether nobody listens there any more, and waiting for somebody gains nothing: it was cancelled, or is sooner had
     * elsewhere. What can run nowhere else waits, since something between here and the worker may have refused.
     */
    private boolean isInVain(Status status) {
        return Failures.isConnectionRefused(status) && (cancelled || (nextSeq == 0 && read.getAsBoolean()));
    }

    private void giveUp(EngineException why) {
        if (!ended) {
            fail(why);
        }
        settle();
    }

    @Override
    void failed(Throwable thrown) {
        log.error("Worker {}: reading a result failed", all.settings().name(), thrown);
        sync.execute(() -> {
            fail(Failures.internal(thrown));
            cancelNow();
        });
    }

    private void settle() {
        settled = true;
        stopTimer();
        stopUpload();
        RemoteResult reader = result;
        if (reader == null) {
            drained = true;
        }
        stopWhenThrough();
    }

    private void stopWhenThrough() {
        if (settled
                && drained
                && (upload == null || upload.stopped().toCompletableFuture().isDone())) {
            all.remove(this);
            callStopped.complete(null);
            stopped.complete(null);
        }
    }

    private void stopUpload() {
        if (upload != null) {
            upload.stop();
            upload.stopped().whenComplete((nothing, never) -> sync.execute(this::stopWhenThrough));
        }
    }

    @Override
    public void taken() {
        if (exchange != null) {
            exchange.request();
        }
    }

    @Override
    public void drained() {
        drained = true;
        stopWhenThrough();
    }

    @Override
    public void cancelNow() {
        if (cancelled || ended || settled) {
            return;
        }
        cancelled = true;
        if (upload != null) {
            upload.stop();
        }
        if (result == null) {
            opened.completeExceptionally(Failures.cancelled());
        }
        if (exchange != null) {
            say(Control.CANCEL);
            // What was let through for the reader makes way for the answer.
            exchange.request();
        }
    }

    @Override
    public void cancel() {
        sync.execute(() -> {
            RemoteResult reader = result;
            if (reader == null) {
                cancelNow();
            } else {
                reader.cancel();
            }
        });
    }

    @Override
    public void abandon() {
        sync.execute(() -> {
            if (exchange != null) {
                exchange.abort("The engine is closed");
                exchange = null;
            }
            giveUp(Failures.closed());
            drained();
        });
    }

    /** The call, of which nothing is left once it has its result. */
    EngineCall<ArrowResult> call() {
        return new EngineCall<>() {
            @Override
            public CompletionStage<ArrowResult> result() {
                return opened;
            }

            @Override
            public void cancel() {
                sync.execute(() -> {
                    if (result == null) {
                        cancelNow();
                    }
                });
            }

            @Override
            public CompletionStage<Void> stopped() {
                return callStopped;
            }
        };
    }

    @Override
    public CompletionStage<Void> stopped() {
        return stopped;
    }

    @Override
    public boolean isOpen() {
        return result != null;
    }

    @Override
    public boolean isActive() {
        RemoteResult reader = result;
        return !cancelled && (reader == null || reader.isReading());
    }
}
