package dev.weir.engine.remote;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestMessage;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Wire;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Sends the messages of a feed to the worker, as fast as its engine takes them. A feed makes its reader wait, so an upload
 * has a thread, from the moment the engine begins to read.
 */
final class Upload {

    /** How often a thread that waits looks whether it is still wanted. */
    private static final long STEP_MILLIS = 20;

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final IngestFeed feed;
    private final BaseConversation run;
    private final Consumer<EngineException> failed;
    private final CompletableFuture<Void> stopped = new CompletableFuture<>();

    @GuardedBy("this")
    private boolean begun;

    @GuardedBy("this")
    private boolean ending;

    /** Bytes that were sent, and that the engine has not taken. */
    @GuardedBy("this")
    private long onTheWay;

    /** Of each part, as the worker told. */
    @GuardedBy("this")
    private final Map<Integer, Long> rowsRead = new HashMap<>();

    private volatile boolean whole;

    /**
     * @param run in whose exchange and context the messages are sent
     * @param failed told in the context when the rows cannot be had
     */
    Upload(IngestFeed feed, BaseConversation run, Consumer<EngineException> failed) {
        this.feed = feed;
        this.run = run;
        this.failed = failed;
    }

    /** The worker's engine reads: the first time this begins the upload. */
    void taken(Reply.Taken told) {
        boolean first;
        long more;
        synchronized (this) {
            first = !begun && !ending;
            begun |= first;
            onTheWay -= told.bytes();
            long before = rowsRead.getOrDefault(told.part(), 0L);
            more = told.rows() - before;
            if (more > 0) {
                rowsRead.put(told.part(), told.rows());
            }
            notifyAll();
        }
        if (more > 0) {
            feed.read(told.part(), more);
        }
        if (first) {
            start();
        }
    }

    private void start() {
        Thread thread = new Thread(this::pump, "weir-upload-" + NUMBERS.incrementAndGet());
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            stopped.complete(null);
            throw e;
        }
    }

    private void pump() {
        try {
            while (awaitRoom()) {
                IngestMessage message = feed.poll(STEP_MILLIS);
                if (message != null) {
                    send(message);
                } else if (feed.isComplete()) {
                    whole = true;
                    run.sync.execute(() -> run.say(Control.WHOLE));
                    return;
                }
            }
        } catch (EngineException e) {
            run.sync.execute(() -> failed.accept(e));
        } catch (InterruptedException | RuntimeException | Error e) {
            run.sync.execute(() -> failed.accept(Failures.internal(e)));
        } finally {
            // Behind the messages: the feed's memory is in use until they are sent.
            run.sync.execute(() -> stopped.complete(null));
        }
    }

    private void send(IngestMessage message) {
        if (message.bytes() > Wire.MAX_PART_BYTES) {
            message.close();
            throw new EngineException(
                    EngineFailure.TOO_LARGE,
                    "A batch of the upload is larger than " + Wire.MAX_PART_BYTES
                            + " bytes, which is the most that can be sent to the engine's process; send smaller batches",
                    "54000",
                    -1,
                    null);
        }
        synchronized (this) {
            onTheWay += message.bytes();
        }
        run.sync.execute(() -> {
            try (message) {
                Exchange to = run.exchange;
                if (to != null && !run.cancelled) {
                    to.upload(message);
                }
            }
        });
    }

    /** Waits until the worker has room; false when nothing more is to be sent. */
    private synchronized boolean awaitRoom() throws InterruptedException {
        while (!ending && onTheWay >= Wire.UPLOAD_WINDOW_BYTES) {
            wait(STEP_MILLIS);
        }
        return !ending;
    }

    /** Whether all of it was sent: from then on the worker may have committed it, and not before. */
    boolean isWhole() {
        return whole;
    }

    /** Sends nothing more. Idempotent. */
    void stop() {
        synchronized (this) {
            ending = true;
            notifyAll();
            if (begun) {
                return;
            }
        }
        stopped.complete(null);
    }

    /** Completes when the feed is not read any more. */
    CompletionStage<Void> stopped() {
        return stopped;
    }
}
