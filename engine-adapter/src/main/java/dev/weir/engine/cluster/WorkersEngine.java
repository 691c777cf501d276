package dev.weir.engine.cluster;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import dev.weir.engine.remote.RemoteEngine;
import dev.weir.engine.remote.RemoteSettings;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Several workers as one engine. A query goes to a worker that has room; a read of which nothing was delivered goes to
 * another when its worker is lost, full or leaving, within the time it had. When every worker is full a query fails with
 * BUSY, when none answers with UNAVAILABLE. Thread-safe.
 */
public final class WorkersEngine implements QueryEngine {

    private static final Logger log = LoggerFactory.getLogger(WorkersEngine.class);

    private static final int CLOSE_SECONDS = 10;

    private final List<WorkerAddress> named;
    private final EngineInfo unknown;
    private final Function<String, StatementScan> scanner;
    private final Members members;
    private final HealthChecks checks;
    private final ClusterTimers timers;
    private final WorkersListener listener;
    private final @Nullable ExecutorService lookups;
    private final CountDownLatch answered = new CountDownLatch(1);
    private final AtomicBoolean closed = new AtomicBoolean();

    private volatile Consumer<EngineCapacity> capacityListener = capacity -> {};

    @GuardedBy("this")
    private EngineCapacity lastCapacity = new EngineCapacity(0, 0);

    /**
     * @param members empty still
     * @param discovery null for none
     */
    WorkersEngine(
            ClusterSettings settings,
            Function<String, StatementScan> scanner,
            Members members,
            ClusterTimers timers,
            WorkersListener listener,
            Lookup.@Nullable Resolver resolver) {
        this.named = List.copyOf(settings.workers());
        this.unknown = settings.info();
        this.scanner = scanner;
        this.members = members;
        this.timers = timers;
        this.listener = listener;
        this.checks = new HealthChecks(members, timers, settings.health().timeout());
        members.onChange(() -> {
            if (members.capacity().slots() > 0) {
                answered.countDown();
            }
            timers.schedule(Duration.ZERO, this::tellCapacity);
        });
        members.update(named).forEach(checks::watch);
        ClusterSettings.Discovery discovery = settings.discovery();
        if (discovery == null || resolver == null) {
            this.lookups = null;
        } else {
            this.lookups = Executors.newSingleThreadExecutor(WorkersEngine::lookupThread);
            new Lookup(discovery, resolver, lookups, timers, this::found).start();
        }
    }

    private static Thread lookupThread(Runnable task) {
        Thread thread = new Thread(task, "weir-workers-lookup");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Begins to watch the workers; does not wait for them.
     *
     * @param scanner classifies texts here, without a worker
     */
    public static WorkersEngine open(
            ClusterSettings settings, Function<String, StatementScan> scanner, WorkersListener listener) {
        ClusterTimers timers = new SystemTimers();
        Members members = new Members(
                address -> connect(settings, address, scanner),
                settings.health(),
                timers,
                InstantSource.system(),
                new SplittableRandom());
        return new WorkersEngine(settings, scanner, members, timers, listener, InetAddress::getAllByName);
    }

    private static WorkerLink connect(
            ClusterSettings settings, WorkerAddress address, Function<String, StatementScan> scanner) {
        RemoteSettings remote = new RemoteSettings(
                address.name(),
                address.host(),
                address.port(),
                address.trust(),
                settings.secret(),
                settings.connectTimeout(),
                settings.heartbeat(),
                settings.resume(),
                address.serverName());
        RemoteEngine engine = new RemoteEngine(remote, settings.info(), scanner);
        return new WorkerLink(engine, engine::report, engine::resumes);
    }

    private void found(List<WorkerAddress> addresses) {
        List<WorkerAddress> all = new ArrayList<>(named);
        all.addAll(addresses);
        members.update(all).forEach(checks::watch);
    }

    /**
     * Waits until a worker may have queries.
     *
     * @return whether one may
     */
    public boolean awaitWorker(Duration atMost) throws InterruptedException {
        return answered.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** On the timers' thread, so that what is told comes in order. */
    private void tellCapacity() {
        EngineCapacity now = members.capacity();
        synchronized (this) {
            if (now.equals(lastCapacity)) {
                return;
            }
            lastCapacity = now;
        }
        capacityListener.accept(now);
    }

    @Override
    public EngineInfo info() {
        return members.info(unknown);
    }

    @Override
    public StatementScan scan(String sql) {
        return scanner.apply(sql);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return PlacedCall.start(members, listener, engine -> engine.describe(query), description -> {});
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        StatementScan scan;
        try {
            scan = scan(query.sql());
        } catch (EngineException e) {
            return new FailedCall<>(e);
        }
        boolean read = scan.needs() == Access.READ && scan.kind().isRead();
        return PlacedRun.start(new Tries(members, timers, listener, Work.of(query), scan.needs() != Access.READ, read));
    }

    /** Whether a worker can write is known once one answers; one that cannot is not asked. */
    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        return PlacedRun.start(new Tries(members, timers, listener, Work.of(ingest, feed), true, false));
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return PlacedCall.start(members, listener, engine -> engine.metadata(request), ArrowResult::close);
    }

    @Override
    public EngineCall<Void> check() {
        return PlacedCall.start(members, listener, QueryEngine::check, nothing -> {});
    }

    @Override
    public EngineStats stats() {
        return members.stats();
    }

    /** What the workers that answer can carry together; one that comes back counts little by little. */
    @Override
    public EngineCapacity capacity() {
        return members.capacity();
    }

    @Override
    public void onCapacity(Consumer<EngineCapacity> told) {
        capacityListener = told;
    }

    @Override
    public List<EngineNode> nodes() {
        return members.nodes();
    }

    /** How many broken streams were taken up again on a worker; 0 for one that is not known. */
    public long resumes(String worker) {
        Member member = members.find(worker);
        return member == null ? 0 : member.link.resumes().getAsLong();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        List<Member> all = members.close();
        timers.close();
        if (lookups != null) {
            lookups.shutdownNow();
        }
        // Each waits for its calls to stop.
        CompletableFuture<?>[] closing = all.stream()
                .map(member -> CompletableFuture.runAsync(member.link.engine()::close, WorkersEngine::onThread))
                .toArray(CompletableFuture[]::new);
        try {
            CompletableFuture.allOf(closing)
                    .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
                    .join();
        } catch (RuntimeException late) {
            log.warn("The connections to some workers did not close in time", late);
        }
    }

    private static void onThread(Runnable task) {
        Thread thread = new Thread(task, "weir-worker-close");
        thread.setDaemon(true);
        thread.start();
    }
}
