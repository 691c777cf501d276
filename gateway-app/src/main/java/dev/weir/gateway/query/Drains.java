package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The drains of one query service: those that an administrator begins and may end, and the last one, of the stop. */
public final class Drains implements DrainControl {

    private static final Logger log = LoggerFactory.getLogger(Drains.class);

    private final DefaultQueryService service;
    private final Timers timers;
    private final Duration grace;
    private final Consumer<Boolean> listener;

    /** When the grace ends, on the timers' clock; null unless draining. */
    @GuardedBy("this")
    private @Nullable Long graceEnds;

    @GuardedBy("this")
    private boolean stopping;

    /**
     * @param grace how long what runs may go on
     * @param listener told when a drain begins (true) and ends; must not block
     */
    public Drains(DefaultQueryService service, Timers timers, Duration grace, Consumer<Boolean> listener) {
        this.service = service;
        this.timers = timers;
        this.grace = grace;
        this.listener = listener;
    }

    @Override
    public DrainReport report(Identity identity) {
        RequestChecks.requireAdmin(identity, "A drain needs");
        return report();
    }

    @Override
    public DrainReport drain(Identity identity) {
        RequestChecks.requireAdmin(identity, "A drain needs");
        synchronized (this) {
            if (graceEnds == null) {
                log.info("{} has the gateway drain; what runs may go on for {} s", identity.user(), grace.toSeconds());
                var unused = begin();
            }
        }
        return report();
    }

    @Override
    public DrainReport resume(Identity identity) {
        RequestChecks.requireAdmin(identity, "A drain needs");
        synchronized (this) {
            if (stopping) {
                throw new GatewayException(GatewayErrorCode.CONFLICT, "The gateway is stopping.");
            }
            if (graceEnds != null) {
                log.info("{} has the gateway take queries again", identity.user());
                graceEnds = null;
                service.resume();
                listener.accept(false);
            }
        }
        return report();
    }

    /**
     * Drains for good: nobody can resume.
     *
     * @return completes when nothing runs any more
     */
    public synchronized CompletionStage<Void> stop() {
        stopping = true;
        return begin();
    }

    @GuardedBy("this")
    private CompletionStage<Void> begin() {
        graceEnds = timers.nanoTime() + grace.toNanos();
        listener.accept(true);
        return service.drain(grace);
    }

    private DrainReport report() {
        Duration left;
        synchronized (this) {
            left = graceEnds == null ? null : Duration.ofNanos(Math.max(0, graceEnds - timers.nanoTime()));
        }
        List<QuerySnapshot> queries = service.liveQueries().stream()
                .filter(query -> !query.user().equals(DefaultQueryService.INTERNAL_USER))
                .sorted(Comparator.comparing(QuerySnapshot::submitted).thenComparing(QuerySnapshot::id))
                .toList();
        return new DrainReport(left != null, left, queries);
    }
}
