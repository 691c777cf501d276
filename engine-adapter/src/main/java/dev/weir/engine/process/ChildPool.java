package dev.weir.engine.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Children that are ready before they are wanted. Each is lent to one call at a time and comes back, unless it was
 * spoiled or the database under its name is another one by then: such a child is ended and a new one started.
 *
 * <p>One lock; children are started, killed and handed out after it was left.
 */
final class ChildPool implements AutoCloseable {

    /** @param bytes memory that its query may have */
    private record Wish(Use use, long bytes, CompletableFuture<Lease> lease) {}

    private static final Logger log = LoggerFactory.getLogger(ChildPool.class);

    private final PoolSize size;
    private final ChildFactory factory;
    private final Supplier<FileVersion> version;
    private final ScheduledExecutorService timers;

    private final StartBackoff backoff = new StartBackoff();

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Deque<Child> idle = new ArrayDeque<>();

    @GuardedBy("lock")
    private final Map<Child, Loaned> lent = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Deque<Wish> wishes = new ArrayDeque<>();

    /** By use: lent or wished for. */
    @GuardedBy("lock")
    private final int[] taken = new int[Use.values().length];

    @GuardedBy("lock")
    private int starting;

    @GuardedBy("lock")
    private boolean backingOff;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * @param version the database file as it is now; asked at each loan
     * @param timers for waits that end; its tasks are short
     */
    ChildPool(PoolSize size, ChildFactory factory, Supplier<FileVersion> version, ScheduledExecutorService timers) {
        this.size = size;
        this.factory = factory;
        this.version = version;
        this.timers = timers;
    }

    /** Starts to fill itself. */
    void open() {
        serve();
    }

    /**
     * Lends a child. The stage fails with BUSY at once when the slots are taken, and when no child becomes ready in
     * time with BUSY, too, or with UNAVAILABLE where none can be started and for the shared use; who completes it
     * otherwise gives up the wish.
     *
     * @param bytes memory promised to the query; more than the children's makes one be started for this query alone, 0
     *     stands for theirs
     */
    CompletableFuture<Lease> borrow(Use use, long bytes) {
        return borrow(use, bytes, use != Use.SHARED && bytes > size.request().memoryBytes());
    }

    /** As {@link #borrow}, but a child that no call has been in and that ends with this one. */
    CompletableFuture<Lease> borrowNew(long bytes) {
        return borrow(Use.QUERY, bytes, true);
    }

    private CompletableFuture<Lease> borrow(Use use, long bytes, boolean special) {
        CompletableFuture<Lease> lease = new CompletableFuture<>();
        long usual = size.request().memoryBytes();
        Wish wish = new Wish(use, bytes == 0 ? usual : bytes, lease);
        synchronized (lock) {
            if (closed) {
                return CompletableFuture.failedFuture(ChildFailures.unavailable("The engine is closed"));
            }
            if (!fits(use)) {
                return CompletableFuture.failedFuture(ChildFailures.busy());
            }
            taken[use.ordinal()]++;
            if (!special) {
                wishes.add(wish);
            }
        }
        var late = timers.schedule(
                () -> lease.completeExceptionally(ChildFailures.late(use, backoff.isFailing())),
                size.patience().toMillis(),
                TimeUnit.MILLISECONDS);
        lease.whenComplete((given, thrown) -> {
            late.cancel(false);
            if (thrown != null) {
                forget(wish);
            }
        });
        if (special) {
            startFor(wish);
        } else {
            serve();
        }
        return lease;
    }

    /** Whether a short query would get a child of its own at once. */
    boolean hasRoomForShort() {
        synchronized (lock) {
            return fits(Use.SHORT) && wishes.isEmpty() && !idle.isEmpty();
        }
    }

    @GuardedBy("lock")
    private boolean fits(Use use) {
        int queries = taken[Use.QUERY.ordinal()] + taken[Use.SHORT.ordinal()];
        return switch (use) {
            case QUERY -> queries < size.slots();
            case SHORT -> queries < size.slots() && taken[Use.SHORT.ordinal()] < size.shortSlots();
            case SHARED -> true;
        };
    }

    private void forget(Wish wish) {
        synchronized (lock) {
            wishes.remove(wish);
            taken[wish.use().ordinal()]--;
        }
    }

    /** A child for one query: one that has more memory than the others, or is new. */
    private void startFor(Wish wish) {
        ChildRequest usual = size.request();
        long bytes = Math.max(wish.bytes(), usual.memoryBytes());
        int threads = bytes == usual.memoryBytes() ? usual.threads() : Threads.of(bytes);
        factory.start(new ChildRequest(bytes, threads, usual.slots(), version.get()))
                .whenComplete((child, thrown) -> {
                    if (thrown != null) {
                        log.warn("A process for a query of {} bytes cannot be started: {}", bytes, thrown.toString());
                        wish.lease()
                                .completeExceptionally(
                                        ChildFailures.unavailable("No process could be started for the query"));
                        return;
                    }
                    Loaned loaned = new Loaned(this, child, wish.use(), wish.bytes(), true);
                    synchronized (lock) {
                        lent.put(child, loaned);
                    }
                    child.exited().whenComplete((exit, none) -> ended(child, exit));
                    if (!wish.lease().complete(loaned)) {
                        loaned.discard();
                    }
                });
    }

    /** Hands out what is ready, ends what is stale and starts what is missing. */
    private void serve() {
        FileVersion now = version.get();
        List<Child> stale = new ArrayList<>();
        Map<Wish, Loaned> granted = new LinkedHashMap<>();
        int starts;
        synchronized (lock) {
            for (Iterator<Child> ready = idle.iterator(); ready.hasNext(); ) {
                Child child = ready.next();
                if (closed || now.replaces(child.request().version())) {
                    ready.remove();
                    stale.add(child);
                }
            }
            while (!wishes.isEmpty() && !idle.isEmpty()) {
                Wish wish = wishes.removeFirst();
                Loaned loaned = new Loaned(this, idle.removeFirst(), wish.use(), wish.bytes(), false);
                lent.put(loaned.child(), loaned);
                granted.put(wish, loaned);
            }
            starts = startsWanted();
            starting += starts;
        }
        stale.forEach(Child::kill);
        for (int i = 0; i < starts; i++) {
            start(now);
        }
        granted.forEach((wish, loaned) -> {
            if (!wish.lease().complete(loaned)) {
                loaned.discard();
            }
        });
    }

    @GuardedBy("lock")
    private int startsWanted() {
        if (closed || backingOff) {
            return 0;
        }
        int wanted = Math.max(size.warm(), lent.size() + wishes.size());
        int missing = wanted - lent.size() - idle.size() - starting;
        return Math.max(0, Math.min(missing, size.startsAtOnce() - starting));
    }

    private void start(FileVersion now) {
        ChildRequest usual = size.request();
        factory.start(new ChildRequest(usual.memoryBytes(), usual.threads(), usual.slots(), now))
                .whenComplete((child, thrown) -> {
                    if (thrown != null) {
                        notStarted(thrown);
                    } else {
                        ready(child);
                    }
                });
    }

    private void ready(Child child) {
        backoff.succeeded();
        boolean late;
        synchronized (lock) {
            starting--;
            late = closed;
            if (!late) {
                idle.addLast(child);
            }
        }
        if (late) {
            child.kill();
            return;
        }
        child.exited().whenComplete((exit, none) -> ended(child, exit));
        serve();
    }

    private void ended(Child child, ChildExit exit) {
        // One that is lent is replaced at once too, however long its reader takes to see that it is gone.
        synchronized (lock) {
            if (!idle.remove(child)) {
                lent.remove(child);
            }
        }
        if (!exit.wanted()) {
            log.warn("{} (process {}) {}; another takes its place", child.name(), child.pid(), exit.words());
        }
        serve();
    }

    private void notStarted(Throwable thrown) {
        long delay = backoff.failed();
        synchronized (lock) {
            starting--;
            if (closed) {
                return;
            }
            if (backingOff) {
                return;
            }
            backingOff = true;
        }
        log.warn("A process cannot be started ({}); tried again in {} ms", ChildFailures.root(thrown), delay);
        var unused = timers.schedule(this::tryAgain, delay, TimeUnit.MILLISECONDS);
    }

    private void tryAgain() {
        synchronized (lock) {
            backingOff = false;
        }
        serve();
    }

    /** Every child there is, in the order of their start. */
    Collection<Child> children() {
        synchronized (lock) {
            List<Child> all = new ArrayList<>(idle);
            all.addAll(lent.keySet());
            all.sort(Comparator.comparing(Child::since).thenComparing(Child::name));
            return all;
        }
    }

    /** As an operator sees them. */
    List<EngineNode> nodes() {
        FileVersion now = version.get();
        List<EngineNode> nodes = new ArrayList<>();
        for (Child child : children()) {
            Loaned loan;
            synchronized (lock) {
                loan = lent.get(child);
            }
            boolean shared = loan != null && loan.use() == Use.SHARED;
            nodes.add(ChildNodes.of(
                    child,
                    loan == null || shared ? 0 : loan.memoryBytes(),
                    shared,
                    loan != null,
                    factory.limit(),
                    now));
        }
        return nodes;
    }

    @Override
    public void close() {
        List<Wish> hopeless;
        List<Child> all;
        synchronized (lock) {
            closed = true;
            hopeless = List.copyOf(wishes);
            all = new ArrayList<>(idle);
            all.addAll(lent.keySet());
        }
        hopeless.forEach(wish -> wish.lease().completeExceptionally(ChildFailures.unavailable("The engine is closed")));
        all.forEach(Child::kill);
    }

    /**
     * Takes a child back.
     *
     * @param counted whether the wish for it counts still
     */
    void giveBack(Loaned loan, @Nullable EngineException failure, boolean counted) {
        Child child = loan.child();
        boolean spoiled = loan.isSpoiledBy(failure);
        child.markUsed();
        synchronized (lock) {
            taken[loan.use().ordinal()] -= counted ? 1 : 0;
            lent.remove(child);
            if (!spoiled && !closed) {
                // The one used last has the most in its caches.
                idle.addFirst(child);
            }
        }
        if (spoiled) {
            child.kill();
        }
        serve();
        if (!spoiled && child.exited().toCompletableFuture().isDone()) {
            // It ended between the look at it and its return.
            ended(child, child.exited().toCompletableFuture().join());
        }
    }
}
