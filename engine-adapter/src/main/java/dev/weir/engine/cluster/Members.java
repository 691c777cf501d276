package dev.weir.engine.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineStats;
import dev.weir.engine.remote.WorkerReport;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers, what is believed about them, and what this gateway runs on each. Choosing a worker and taking a slot there
 * is one step under one lock, so that two queries never take the same slot. Thread-safe; no worker is
 * asked under the lock.
 */
final class Members {

    private static final Logger log = LoggerFactory.getLogger(Members.class);

    /** A worker that said it is full is left alone for so long; its next report comes about then. */
    static final Duration BUSY_PAUSE = Duration.ofMillis(200);

    private final Function<WorkerAddress, WorkerLink> connect;
    private final ClusterSettings.Health policy;
    private final ClusterTimers timers;
    private final InstantSource clock;
    private final Choice choice;

    @GuardedBy("this")
    private final Map<String, Member> members = new LinkedHashMap<>();

    @GuardedBy("this")
    private boolean closed;

    private volatile Runnable onChange = () -> {};

    Members(
            Function<WorkerAddress, WorkerLink> connect,
            ClusterSettings.Health policy,
            ClusterTimers timers,
            InstantSource clock,
            RandomGenerator random) {
        this.connect = connect;
        this.policy = policy;
        this.timers = timers;
        this.clock = clock;
        this.choice = new Choice(random);
    }

    /** Who is told, on any thread, that the capacity may have changed. */
    void onChange(Runnable listener) {
        onChange = listener;
    }

    /**
     * Takes a list of workers as all there are. One that is gone from it gets no new queries and is left when those it
     * has are done.
     *
     * @return those that are new
     */
    List<Member> update(List<WorkerAddress> addresses) {
        List<Member> added = new ArrayList<>();
        List<Member> gone;
        synchronized (this) {
            if (closed) {
                return List.of();
            }
            Map<String, WorkerAddress> wanted = new LinkedHashMap<>();
            addresses.forEach(address -> wanted.put(address.name(), address));
            members.forEach((name, member) -> member.leave(!wanted.containsKey(name)));
            for (WorkerAddress address : wanted.values()) {
                if (!members.containsKey(address.name())) {
                    Member member = new Member(address, connect.apply(address), new Health(policy, clock));
                    members.put(address.name(), member);
                    added.add(member);
                }
            }
            gone = removeLeft();
        }
        gone.forEach(Members::left);
        onChange.run();
        return added;
    }

    @GuardedBy("this")
    private List<Member> removeLeft() {
        List<Member> left = members.values().stream()
                .filter(member -> member.isLeaving() && member.running() == 0)
                .toList();
        left.forEach(member -> members.remove(member.address.name()));
        return left;
    }

    /** Closing waits for calls to stop: not on the threads of queries. */
    private static void left(Member member) {
        log.info("Worker {} is not listed any more and was left", member.address.name());
        Thread closing = new Thread(member.link.engine()::close, "weir-worker-close");
        closing.setDaemon(true);
        closing.start();
    }

    /** Whether the member is still one of these. */
    synchronized boolean has(Member member) {
        return !closed && members.get(member.address.name()) == member;
    }

    /**
     * Chooses a worker for a query and takes its slot.
     *
     * @param memory promised to the query, in bytes
     * @param write whether it needs a worker that can write
     * @param tried those that are not to be asked again
     * @throws EngineException BUSY when every worker that could take it is full, MEMORY when none is large enough,
     *     FORBIDDEN when none can write, UNAVAILABLE when none is left
     */
    synchronized Lease take(long memory, boolean write, Set<Member> tried) {
        long now = timers.nanoTime();
        List<Member> usable = usable(tried);
        if (write) {
            usable = usable.stream().filter(member -> !member.isReadOnly()).toList();
            if (usable.isEmpty()) {
                throw new EngineException(EngineFailure.FORBIDDEN, "The workers are read-only", "25006", -1, null);
            }
        }
        if (usable.stream().allMatch(member -> memory > member.memoryBytes())) {
            throw new EngineException(EngineFailure.MEMORY, "No worker has as much memory as the query asks for");
        }
        List<Member> free =
                usable.stream().filter(member -> member.hasRoom(memory, now)).toList();
        if (free.isEmpty()) {
            throw new EngineException(EngineFailure.BUSY, "Every worker is full");
        }
        Member chosen = choice.pick(free, memory, now);
        chosen.took(memory);
        return new Lease(this, chosen, memory);
    }

    /**
     * Chooses a worker for a call that takes no slot.
     *
     * @throws EngineException UNAVAILABLE when none is left
     */
    synchronized Member any(Set<Member> tried) {
        return choice.pick(usable(tried), 0, timers.nanoTime());
    }

    @GuardedBy("this")
    private List<Member> usable(Set<Member> tried) {
        List<Member> usable = closed
                ? List.of()
                : members.values().stream()
                        .filter(member -> member.isUsable() && !tried.contains(member))
                        .toList();
        if (usable.isEmpty()) {
            String message = closed ? "The engine is closed" : "No worker can take the statement now";
            throw new EngineException(EngineFailure.UNAVAILABLE, message, "57P03", -1, null);
        }
        return usable;
    }

    void release(Member member, long memory) {
        List<Member> gone;
        synchronized (this) {
            member.gaveBack(memory);
            gone = member.isLeaving() && !closed ? removeLeft() : List.of();
        }
        gone.forEach(Members::left);
    }

    /** A check succeeded. */
    void answered(Member member, WorkerReport report) {
        changing(member, () -> {
            boolean restarted = member.told(report);
            member.health.answered(report.draining(), restarted, timers.nanoTime());
        });
    }

    /** A check failed. */
    void failed(Member member, String why) {
        changing(member, () -> member.health.failed(why));
    }

    /** A call failed: counts where that says something about the worker. */
    void failed(Member member, EngineFailure failure) {
        switch (failure) {
            case LOST -> failed(member, "lost a query");
            case UNAVAILABLE -> failed(member, "did not take a query");
            case BUSY -> {
                synchronized (this) {
                    member.busyUntil(timers.nanoTime() + BUSY_PAUSE.toNanos());
                }
            }
            default -> {
                // Says something about the statement.
            }
        }
    }

    private void changing(Member member, Runnable change) {
        EngineNode.State before;
        EngineNode after;
        synchronized (this) {
            before = member.health.state();
            change.run();
            after = member.view();
        }
        if (before != after.state() && !closedNow()) {
            tell(after);
        }
        onChange.run();
    }

    private synchronized boolean closedNow() {
        return closed;
    }

    private static void tell(EngineNode node) {
        String reason = node.reason() == null ? "" : " (" + node.reason() + ")";
        if (node.state() == EngineNode.State.HEALTHY) {
            log.info("Worker {} at {} is healthy", node.name(), node.address());
        } else {
            log.warn("Worker {} at {} is {}{}", node.name(), node.address(), node.state(), reason);
        }
    }

    /** How soon it is to be checked again. */
    synchronized Duration untilNextCheck(Member member) {
        return member.health.isUnsettled() ? policy.interval().dividedBy(4) : policy.interval();
    }

    synchronized EngineCapacity capacity() {
        long now = timers.nanoTime();
        long slots = 0;
        long memory = 0;
        for (Member member : members.values()) {
            if (member.isUsable()) {
                slots += member.slots(now);
                memory = add(memory, member.memoryBytes());
            }
        }
        return new EngineCapacity((int) Math.min(slots, Integer.MAX_VALUE), memory);
    }

    private static long add(long sum, long more) {
        return more > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + more;
    }

    synchronized List<EngineNode> nodes() {
        return members.values().stream().map(Member::view).toList();
    }

    /** What the workers run, as far as they have told: read-only if any of them is. */
    synchronized EngineInfo info(EngineInfo otherwise) {
        WorkerReport first = null;
        boolean readOnly = false;
        for (Member member : members.values()) {
            WorkerReport report = member.report();
            first = first == null ? report : first;
            readOnly |= member.isReadOnly();
        }
        return first == null
                ? otherwise
                : new EngineInfo(first.engine().name(), first.engine().version(), readOnly);
    }

    EngineStats stats() {
        List<Member> all;
        synchronized (this) {
            all = List.copyOf(members.values());
        }
        int results = 0;
        int calls = 0;
        int unstopped = 0;
        long bytes = 0;
        for (Member member : all) {
            EngineStats stats = member.link.engine().stats();
            results += stats.openResults();
            calls += stats.activeCalls();
            unstopped += stats.unstopped();
            bytes += stats.arrowBytes();
        }
        return new EngineStats(results, calls, unstopped, bytes);
    }

    /** Takes no more calls. @return what is to be closed */
    synchronized List<Member> close() {
        closed = true;
        return List.copyOf(members.values());
    }

    @Nullable
    synchronized Member find(String name) {
        return members.get(name);
    }
}
