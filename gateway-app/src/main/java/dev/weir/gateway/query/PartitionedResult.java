package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * One result read by several readers at once. Each batch goes to whoever asks next, so that each row reaches exactly one
 * of them; read one after the other, the first gets all. A reader that leaves before its end cancels the query, and with
 * it every other one.
 *
 * <p>Thread-safe; nothing blocks. Whatever happens calls {@link #signal}, and one thread at a time runs {@link #step}: it
 * alone touches the result. The next batch is asked for before the last one is handed over, so the engine works while
 * readers encode.
 */
public final class PartitionedResult {

    private final QueryExecution query;
    private final int count;
    private final boolean numbered;
    private final BufferAllocator allocator;
    private final AtomicInteger signals = new AtomicInteger();
    private volatile @Nullable ResultStream source;

    @GuardedBy("this")
    private final List<@Nullable Partition> opened = new ArrayList<>();

    @GuardedBy("this")
    private final Deque<PartitionPull> waiting = new ArrayDeque<>();

    /** Partitions that were opened and not closed. */
    @GuardedBy("this")
    private int open;

    /** The engine has given its last batch. */
    @GuardedBy("this")
    private boolean ended;

    @GuardedBy("this")
    private @Nullable GatewayException failure;

    // Touched in step() only.
    private @Nullable PartitionPull asked;
    private CompletableFuture<Boolean> answer = CompletableFuture.completedFuture(false);
    private long batches;
    private boolean closed;

    /**
     * @param query whose result nobody else reads
     * @param count how many partitions there are, at least one
     * @param numbered whether partitions tell the numbers of their batches
     * @param allocator for the vectors of a partition that gets no batch
     */
    public PartitionedResult(QueryExecution query, int count, boolean numbered, BufferAllocator allocator) {
        this.query = query;
        this.count = count;
        this.numbered = numbered;
        this.allocator = allocator;
        for (int i = 0; i < count; i++) {
            opened.add(null);
        }
        query.stream().whenComplete((stream, thrown) -> {
            if (stream != null) {
                source = stream;
                stream.aborted().thenAccept(this::fail);
                signal();
            } else {
                fail(failureOf(thrown == null ? new IllegalStateException("no result") : thrown));
            }
        });
    }

    /** The query. */
    public QueryExecution query() {
        return query;
    }

    /** How many partitions there are. */
    public int count() {
        return count;
    }

    /**
     * Opens a partition, once; the caller closes it.
     *
     * @param number from 0
     * @return completes when the query was admitted and its schema is known; fails with a {@link GatewayException}
     * @throws GatewayException NOT_FOUND without such a partition, CONFLICT when it was opened before
     */
    public CompletionStage<ResultStream> open(int number) {
        Partition partition = new Partition(this);
        synchronized (this) {
            if (number < 0 || number >= count) {
                throw new GatewayException(
                        GatewayErrorCode.NOT_FOUND,
                        "There is no partition " + number + "; the result has 0 to " + (count - 1) + ".",
                        ErrorDetails.NONE.withQueryId(query.id()));
            }
            if (opened.get(number) != null) {
                throw new GatewayException(
                        GatewayErrorCode.CONFLICT,
                        "Partition " + number + " was read before, and can be read once; run the query again.",
                        ErrorDetails.NONE.withQueryId(query.id()));
            }
            opened.set(number, partition);
            open++;
            if (failure != null) {
                partition.abort(failure);
            }
        }
        return query.stream().thenApply(stream -> {
            partition.begin(stream);
            return partition;
        });
    }

    boolean isNumbered() {
        return numbered;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    /** A partition wants a batch. */
    void ask(PartitionPull pull) {
        GatewayException lost;
        boolean over;
        synchronized (this) {
            lost = failure;
            over = ended;
            if (lost == null && !over) {
                waiting.add(pull);
            }
        }
        if (lost != null) {
            pull.fail(lost);
        } else if (over) {
            pull.end();
        } else {
            signal();
        }
    }

    /** A partition was closed. @param complete whether it had seen its end */
    void left(boolean complete) {
        boolean broken;
        synchronized (this) {
            open--;
            broken = !complete && failure == null;
        }
        if (broken) {
            // Comes back as the failure of all.
            query.cancel(CancelReason.CLIENT_GONE);
        }
        signal();
    }

    private GatewayException failureOf(Throwable thrown) {
        return Failures.of(thrown, query.id(), true);
    }

    private void fail(GatewayException why) {
        List<@Nullable Partition> failed;
        synchronized (this) {
            if (failure != null) {
                return;
            }
            failure = why;
            failed = List.copyOf(
                    opened.stream().filter(partition -> partition != null).toList());
        }
        for (Partition partition : failed) {
            if (partition != null) {
                partition.abort(why);
            }
        }
        signal();
    }

    private void signal() {
        if (signals.getAndIncrement() != 0) {
            return;
        }
        int seen = 1;
        do {
            while (step()) {}
            seen = signals.addAndGet(-seen);
        } while (seen != 0);
    }

    /** @return whether another step may be possible at once */
    private boolean step() {
        ResultStream from = source;
        if (closed) {
            failWaiting();
            return false;
        }
        if (hasFailed()) {
            stop(from);
            return false;
        }
        if (from == null || (asked != null && !answer.isDone())) {
            return false;
        }
        PartitionPull given = asked;
        asked = null;
        boolean more = given != null && taken(given, from);
        PartitionPull next = next();
        if (next != null) {
            asked = next;
            pull(next, from);
        }
        if (given != null && more) {
            given.hand();
        }
        if (given == null && next == null) {
            closeWhenRead(from);
            return false;
        }
        return true;
    }

    private void pull(PartitionPull next, ResultStream from) {
        try {
            answer = next.ask(from).toCompletableFuture();
        } catch (RuntimeException e) {
            answer = CompletableFuture.failedFuture(e);
        }
        if (!answer.isDone()) {
            answer.whenComplete((more, thrown) -> signal());
        }
    }

    /** Takes what the engine answered; false at the end, and when it failed. */
    private boolean taken(PartitionPull pull, ResultStream from) {
        try {
            if (answer.join()) {
                pull.take(from, batches++);
                return true;
            }
        } catch (RuntimeException e) {
            GatewayException why = failureOf(e);
            query.fail(why);
            fail(why);
            pull.fail(why);
            return false;
        }
        List<PartitionPull> rest;
        synchronized (this) {
            ended = true;
            rest = List.copyOf(waiting);
            waiting.clear();
        }
        pull.end();
        rest.forEach(PartitionPull::end);
        return false;
    }

    private synchronized boolean hasFailed() {
        return failure != null;
    }

    private synchronized @Nullable PartitionPull next() {
        return failure == null && !ended ? waiting.poll() : null;
    }

    private void closeWhenRead(ResultStream from) {
        boolean read;
        synchronized (this) {
            read = ended && open == 0;
        }
        if (read) {
            closed = true;
            from.close();
        }
    }

    /** After a failure: nobody gets anything any more. */
    private void stop(@Nullable ResultStream from) {
        closed = true;
        PartitionPull pending = asked;
        asked = null;
        if (pending != null) {
            pending.fail(lost());
            answer.whenComplete((more, thrown) -> pending.discard());
        }
        failWaiting();
        if (from != null) {
            from.close();
        }
    }

    private void failWaiting() {
        List<PartitionPull> rest;
        synchronized (this) {
            rest = List.copyOf(waiting);
            waiting.clear();
        }
        rest.forEach(pull -> pull.fail(lost()));
    }

    private synchronized GatewayException lost() {
        return failure != null ? failure : failureOf(new IllegalStateException("the result is closed"));
    }
}
