package dev.weir.engine.worker;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import io.grpc.SynchronizationContext;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One run and its result, from the command until its gateway has the last of it. It outlives the calls that carry it.
 *
 * <p>Everything happens in one context, one thing at a time, on whichever thread brings it: the engine's with a batch,
 * gRPC's with a confirmation. No thread waits.
 */
final class RunSession implements Session {

    private static final Logger log = LoggerFactory.getLogger(RunSession.class);

    private final Runs runs;
    private final String token;
    private final String label;
    private final long memory;
    private final SynchronizationContext sync = new SynchronizationContext((thread, thrown) -> crashed(thrown));
    private final SilenceWatch silence;
    private final SentBatches batches;

    private @Nullable Peer peer;
    private @Nullable EngineCall<ArrowResult> call;
    private @Nullable ArrowResult result;
    private SynchronizationContext.@Nullable ScheduledHandle deadline;
    /** Why this side stopped the engine. */
    private @Nullable EngineException stop;
    /** The end or the failure, once there is one. */
    private @Nullable Reply last;

    /** What is uploaded for it; null for nothing. Set once, before anything of it comes. */
    private volatile @Nullable WireFeed feed;

    private boolean openedSent;
    private boolean lastSent;
    private boolean pulling;
    private boolean idle;
    private boolean holdsPlace;
    private boolean done;
    private boolean removed;

    /** @param memory what it holds of the worker's memory, with a slot; negative where it holds neither */
    RunSession(Runs runs, String token, String label, long memory) {
        this.runs = runs;
        this.token = token;
        this.label = label;
        this.memory = memory;
        this.holdsPlace = memory >= 0;
        this.batches = new SentBatches(runs.settings().windowBytes());
        this.silence = new SilenceWatch(
                sync, runs.timer(), runs.settings().heartbeatTimeout(), () -> stopNow(Failures.abandoned(), true));
    }

    String token() {
        return token;
    }

    /**
     * Starts the run for the call that asked for it.
     *
     * @param uploaded what it reads; null for nothing
     */
    void begin(
            Peer from,
            @Nullable WireFeed uploaded,
            Supplier<EngineCall<ArrowResult>> start,
            @Nullable Duration timeLeft) {
        feed = uploaded;
        sync.execute(() -> {
            if (stop != null) {
                from.fail(stop);
                return;
            }
            peer = from;
            silence.start();
            // What was before this run is not its own.
            long unused = runs.settings().peakMemory().getAsLong();
            if (timeLeft != null) {
                deadline = sync.schedule(() -> stopNow(Failures.timedOut(), false), timeLeft, runs.timer());
            }
            EngineCall<ArrowResult> started = start.get();
            call = started;
            started.result()
                    .whenComplete((opened, failure) -> sync.execute(() -> {
                        if (opened != null) {
                            opened(opened);
                        } else {
                            notOpened(started, failure);
                        }
                    }));
        });
    }

    /** Tells the gateway that the engine reads what it uploads. */
    void tell(Reply.Taken taken) {
        sync.execute(() -> {
            if (peer != null) {
                peer.send(Frame.of(taken));
            }
        });
    }

    @Override
    public void uploaded(Peer from, int part, Frame frame) {
        WireFeed to = feed;
        try {
            Objects.requireNonNull(to).add(part, frame);
        } catch (RuntimeException | OutOfMemoryError e) {
            crashed(e);
        }
    }

    private void opened(ArrowResult opened) {
        result = opened;
        opened.stopped().whenComplete((nothing, none) -> sync.execute(this::idle));
        if (stop != null) {
            opened.close();
        } else if (Schemas.hasDictionary(opened.schema().getFields())) {
            stopNow(Failures.dictionaries(), false);
        } else {
            pump();
        }
    }

    private void notOpened(EngineCall<ArrowResult> started, @Nullable Throwable failure) {
        if (stop == null && failure != null) {
            last = Reply.Failed.of(Failures.logged(label, failure));
        }
        started.stopped().whenComplete((nothing, none) -> sync.execute(this::idle));
    }

    private void crashed(Throwable thrown) {
        EngineException failure = Failures.logged(label, thrown);
        sync.execute(() -> stopNow(failure, false));
    }

    /** Moves whatever can move: batches out to the gateway, and batches in from the engine. */
    private void pump() {
        if (peer != null) {
            sendTo(peer);
        }
        pull();
    }

    private void sendTo(Peer to) {
        ArrowResult open = result;
        if (open != null && stop == null) {
            if (!openedSent) {
                openedSent = true;
                OptionalLong count = open.updateCount();
                Reply opened = new Reply.Opened(count.isPresent() ? count.getAsLong() : null);
                to.send(Frame.of(opened, Schemas.write(open.schema())));
            }
            while (batches.hasUnsent() && to.isReady()) {
                to.send(batches.next());
            }
        }
        Reply ending = last;
        if (ending != null && !lastSent && !batches.hasUnsent() && (result != null || idle)) {
            lastSent = true;
            to.send(Frame.of(ending));
        }
    }

    private void pull() {
        ArrowResult open = result;
        if (open == null || pulling || stop != null || last != null || !batches.hasRoom()) {
            return;
        }
        pulling = true;
        if (open.givesEncoded()) {
            open.nextEncoded().whenComplete((batch, failure) -> sync.execute(() -> pulled(open, batch, failure)));
        } else {
            open.next().whenComplete((more, failure) -> sync.execute(() -> pulled(open, more, failure)));
        }
    }

    private void pulled(ArrowResult open, @Nullable Boolean more, @Nullable Throwable failure) {
        pulling = false;
        if (stop == null) {
            if (Boolean.TRUE.equals(more)) {
                retain(open);
            } else {
                ended(open, failure);
            }
            pump();
        }
    }

    private void retain(ArrowResult open) {
        try {
            batches.add(open.root());
        } catch (RuntimeException e) {
            ended(open, e);
        }
    }

    private void pulled(ArrowResult open, @Nullable EncodedBatch batch, @Nullable Throwable failure) {
        pulling = false;
        if (stop != null) {
            if (batch != null) {
                batch.close();
            }
            return;
        }
        if (batch != null) {
            try {
                batches.add(batch);
            } catch (IOException | RuntimeException e) {
                batch.close();
                ended(open, e);
            }
        } else {
            ended(open, failure);
        }
        pump();
    }

    private void ended(ArrowResult open, @Nullable Throwable failure) {
        if (failure != null) {
            last = Reply.Failed.of(Failures.logged(label, failure));
            open.close();
        } else {
            last = new Reply.End(batches.produced(), runs.peakMemory(open));
        }
    }

    @Override
    public void ready(Peer from) {
        sync.execute(() -> {
            if (from == peer) {
                pump();
            }
        });
    }

    @Override
    public void heard(Peer from, Control control) {
        sync.execute(() -> {
            if (from != peer) {
                return;
            }
            silence.heard();
            if (control.whole() && feed != null) {
                feed.whole();
            }
            Long ack = control.ack();
            if (ack != null) {
                batches.confirm(ack);
            }
            if (control.cancel()) {
                stopNow(Failures.cancelled(), false);
            }
            if (control.done() && lastSent) {
                finish();
            }
            pump();
        });
    }

    @Override
    public void broken(Peer from) {
        sync.execute(() -> {
            from.gone();
            if (from == peer) {
                peer = null;
                if (feed != null) {
                    feed.brokenOff();
                }
                log.debug("{}: its call broke", label);
            }
        });
    }

    /** Goes on with another call at the batch that the gateway wants. */
    void resume(Peer from, long nextSeq, boolean schema, boolean cancel) {
        sync.execute(() -> {
            if (removed) {
                from.fail(Failures.unknown());
                return;
            }
            if (peer != null) {
                peer.drop("The query was resumed by another call");
            }
            peer = from;
            if (feed != null) {
                // What the call before still had to say is lost.
                feed.brokenOff();
                feed.readSoFar().forEach(taken -> from.send(Frame.of(taken)));
            }
            silence.heard();
            lastSent = false;
            if (schema) {
                openedSent = false;
            }
            if (cancel) {
                stopNow(Failures.cancelled(), false);
            } else if (stop == null && !batches.rewind(nextSeq)) {
                stopNow(Failures.unknown(), false);
            }
            log.debug("{}: resumed at batch {}", label, nextSeq);
            pump();
        });
    }

    @Override
    public void stop(EngineException why) {
        sync.execute(() -> stopNow(why, true));
    }

    /** Ends the run; {@code forget} when nobody will ask for how it ended. */
    private void stopNow(EngineException why, boolean forget) {
        if (stop == null && !done && !(last instanceof Reply.Failed)) {
            log.debug("{}: stopped, {}", label, why.getMessage());
            stop = why;
            last = null;
            lastSent = false;
            if (result != null) {
                result.close();
            } else if (call != null) {
                call.cancel();
            } else {
                idle = true;
            }
        }
        // Whoever stops it wants none of the batches, not those before a failure either.
        batches.release();
        if (idle) {
            idle();
        }
        if (forget) {
            finish();
        }
    }

    /** The engine does nothing for this run any more, and has its memory back. */
    private void idle() {
        idle = true;
        if (feed != null) {
            feed.close();
        }
        if (stop != null && last == null) {
            last = Reply.Failed.of(stop);
        }
        settle();
        pump();
    }

    /** The gateway has all it wants, or is not expected any more. */
    private void finish() {
        done = true;
        batches.release();
        if (result != null) {
            result.close();
        }
        settle();
    }

    private void settle() {
        if (idle && holdsPlace && (done || last instanceof Reply.Failed)) {
            holdsPlace = false;
            runs.giveBack(memory);
        }
        if (idle && done && !removed) {
            removed = true;
            silence.stop();
            if (deadline != null) {
                deadline.cancel();
            }
            if (peer != null) {
                if (!lastSent && last != null) {
                    peer.send(Frame.of(last));
                }
                peer.finish();
                peer = null;
            }
            runs.remove(this);
        }
    }
}
