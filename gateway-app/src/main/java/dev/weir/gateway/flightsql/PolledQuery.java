package dev.weir.gateway.flightsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * One query that was submitted by a poll: who waits for news of it, and how long it may wait for its client.
 *
 * <p>Thread-safe. Polls are woken, and the query and its result are called, after the lock is given back.
 */
final class PolledQuery {

    /** How often its place in the queue is looked at: that costs the admission lock. */
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    /** What has become of it. */
    enum Phase {
        /** Queued or running; there is no result yet. */
        WAITING,
        /** The result is open, and nobody has claimed it. */
        OPEN,
        /** A DoGet has the result. */
        CLAIMED,
        /** A statement without rows has run; its count is known. */
        COUNTED,
        /** There is no result, and there will be none. */
        FAILED
    }

    /**
     * How it stands, for its client.
     *
     * @param schema of the result; null while it hangs on values
     * @param count of a statement without rows, once it is counted
     * @param expires the client must have come back by then
     */
    record Status(
            Phase phase, QuerySnapshot query, @Nullable Schema schema, OptionalLong count, Instant expires) {}

    /** A poll that waits. */
    private record Waiter(String seen, Instant until, CompletableFuture<Void> news) {}

    private final String user;
    private final RequestOptions options;
    private final boolean writes;
    private final FlightSqlSettings settings;
    private final Clock clock;

    /** Until it is done: then its last snapshot is kept, without the statement and what else a query holds. */
    private volatile @Nullable QueryExecution execution;

    private volatile QuerySnapshot last;

    @GuardedBy("this")
    private Phase phase = Phase.WAITING;

    @GuardedBy("this")
    private @Nullable Schema schema;

    @GuardedBy("this")
    private OptionalLong count = OptionalLong.empty();

    @GuardedBy("this")
    private @Nullable ResultStream unread;

    @GuardedBy("this")
    private @Nullable GatewayException failure;

    /** What to tell when the cancel that was asked for here wins. */
    @GuardedBy("this")
    private @Nullable GatewayException abandoned;

    @GuardedBy("this")
    private @Nullable Waiter waiter;

    /** By when the client must have come back; does not count while a poll waits. */
    @GuardedBy("this")
    private Instant deadline;

    /** Whether it was seen to hold a permit: then its client may be absent for a shorter time. */
    @GuardedBy("this")
    private boolean granted;

    @GuardedBy("this")
    private Instant nextLook;

    /**
     * @param options under which it was asked for
     * @param writes whether it changes something
     * @param described schema of the result as far as it is known; null when it hangs on values
     */
    PolledQuery(
            String user,
            QueryExecution execution,
            RequestOptions options,
            boolean writes,
            @Nullable Schema described,
            FlightSqlSettings settings,
            Clock clock) {
        this.user = user;
        this.options = options;
        this.writes = writes;
        this.execution = execution;
        this.last = execution.snapshot();
        this.schema = described;
        this.settings = settings;
        this.clock = clock;
        Instant now = clock.instant();
        this.deadline = now.plus(settings.pollTimeout());
        this.nextLook = now.plus(BETWEEN_LOOKS);
    }

    String id() {
        return last.id();
    }

    String user() {
        return user;
    }

    RequestOptions options() {
        return options;
    }

    QuerySnapshot snapshot() {
        QueryExecution running = execution;
        return running == null ? last : running.snapshot();
    }

    /** The result is there: it waits for one DoGet, for a bounded time. */
    void opened(ResultStream result, Schema itsSchema) {
        boolean late;
        Waiter woken = null;
        synchronized (this) {
            late = phase != Phase.WAITING;
            if (!late) {
                phase = Phase.OPEN;
                schema = itsSchema;
                unread = result;
                deadline = clock.instant().plus(settings.claimTimeout());
                woken = waiter;
                waiter = null;
            }
        }
        if (late) {
            result.close();
            return;
        }
        // A timeout or a cancel may end it before anyone reads.
        var unused = result.aborted().thenAccept(why -> failed(why, null));
        wake(woken);
    }

    /** A statement without rows has run to its committed end. */
    void counted(OptionalLong rows) {
        Waiter woken;
        synchronized (this) {
            if (phase != Phase.WAITING) {
                return;
            }
            phase = Phase.COUNTED;
            count = rows;
            woken = waiter;
            waiter = null;
        }
        wake(woken);
    }

    /**
     * There will be no result for a client; without effect once there is a reader or a count.
     *
     * @param reason why the query is cancelled for it; null when it has ended already
     */
    void failed(Throwable why, @Nullable CancelReason reason) {
        ResultStream unclaimed;
        Waiter woken;
        synchronized (this) {
            if (phase != Phase.WAITING && phase != Phase.OPEN) {
                return;
            }
            phase = Phase.FAILED;
            failure = withId(FlightErrors.toGateway(abandoned != null ? abandoned : why));
            unclaimed = unread;
            unread = null;
            woken = waiter;
            waiter = null;
        }
        QueryExecution running = execution;
        if (reason != null && running != null) {
            running.cancel(reason);
        }
        if (unclaimed != null) {
            unclaimed.close();
        }
        wake(woken);
    }

    /** Cancels it, unless it is read or has run; its client is told why. */
    void abandon(GatewayException why, CancelReason reason) {
        QueryExecution running = execution;
        boolean waiting;
        synchronized (this) {
            waiting = phase == Phase.WAITING;
            if (waiting) {
                abandoned = why;
            }
        }
        // A statement without rows may have been committed this moment: the query decides, not its client's absence.
        if (!waiting || (running != null && running.cancel(reason))) {
            failed(why, reason);
        }
    }

    /** The query has settled. */
    void done(QuerySnapshot snapshot) {
        last = snapshot;
        execution = null;
    }

    /**
     * Waits for news; a poll that waited before on the same query is answered.
     *
     * @param seen what the client was told last
     * @return completes when there is something else to tell, or at that time
     */
    CompletableFuture<Void> news(String seen, Instant until) {
        CompletableFuture<Void> news = new CompletableFuture<>();
        String now = PollStatus.seen(snapshot());
        Waiter before;
        synchronized (this) {
            if (phase != Phase.WAITING || !now.equals(seen) || !clock.instant().isBefore(until)) {
                return CompletableFuture.completedFuture(null);
            }
            before = waiter;
            waiter = new Waiter(seen, until, news);
        }
        wake(before);
        return news;
    }

    /** The client of a poll that waited has gone; it may come back. */
    synchronized void left(CompletableFuture<Void> news) {
        if (waiter != null && waiter.news() == news) {
            waiter = null;
            deadline = clock.instant().plus(absence());
        }
    }

    /**
     * How it stands, to be told now: the time in which the client must come back begins anew, unless the result waits.
     *
     * @throws GatewayException when there will be no result, or it was claimed already
     */
    Status tell() {
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            if (phase == Phase.CLAIMED) {
                throw withId(PollFailures.claimed());
            }
            QuerySnapshot query = snapshot();
            Instant now = clock.instant();
            Instant expires = deadline;
            if (phase == Phase.WAITING) {
                granted |= query.state() != QueryState.QUEUED;
                deadline = now.plus(absence());
                // It may be granted the next moment, and then waits for its client no longer than that.
                expires = now.plus(shorter());
            } else if (phase == Phase.COUNTED) {
                expires = now.plus(settings.ticketTimeToLive());
            }
            return new Status(phase, query, schema, count, expires);
        }
    }

    /**
     * Takes the result, once.
     *
     * @throws GatewayException CONFLICT when it was taken before; why there is none otherwise
     */
    QueryExecution claim() {
        synchronized (this) {
            QueryExecution running = execution;
            if (failure != null) {
                throw failure;
            }
            if (phase != Phase.OPEN) {
                throw withId(PollFailures.claimed());
            }
            if (running == null) {
                // Ended this moment, with its result unread.
                throw withId(PollFailures.cancelled());
            }
            phase = Phase.CLAIMED;
            unread = null;
            return running;
        }
    }

    /** Cancels it, queued, running or being read. */
    TicketLedger.Cancellation cancel(CancelReason reason) {
        QueryExecution running = execution;
        abandon(PollFailures.cancelled(), reason);
        if (running != null) {
            running.cancel(reason);
        }
        QueryState state = snapshot().state();
        if (state == QueryState.CANCELLED) {
            return TicketLedger.Cancellation.CANCELLED;
        }
        return state.isDone() ? TicketLedger.Cancellation.TOO_LATE : TicketLedger.Cancellation.CANCELLING;
    }

    /** Answers a poll that has news or has waited long enough; ends the query whose client has not come back. */
    void look(Instant now) {
        if (!isTimeToLook(now)) {
            return;
        }
        QuerySnapshot query = snapshot();
        Waiter woken = null;
        GatewayException expired = null;
        synchronized (this) {
            if (phase != Phase.WAITING && phase != Phase.OPEN) {
                return;
            }
            if (phase == Phase.WAITING && !granted && query.state() != QueryState.QUEUED) {
                granted = true;
                deadline = now.plus(settings.claimTimeout());
            }
            if (waiter != null) {
                if (!now.isBefore(waiter.until()) || !PollStatus.seen(query).equals(waiter.seen())) {
                    woken = waiter;
                    waiter = null;
                    deadline = now.plus(absence());
                }
            } else if (!now.isBefore(deadline)) {
                expired = PollFailures.absent(phase == Phase.OPEN, granted, writes, settings);
            }
        }
        wake(woken);
        if (expired != null) {
            abandon(expired, CancelReason.CLIENT_GONE);
        }
    }

    private synchronized boolean isTimeToLook(Instant now) {
        if (phase != Phase.WAITING && phase != Phase.OPEN) {
            return false;
        }
        Instant due = waiter == null ? deadline : waiter.until();
        if (now.isBefore(nextLook) && now.isBefore(due)) {
            return false;
        }
        nextLook = now.plus(BETWEEN_LOOKS);
        return true;
    }

    /** How long the client may be absent. */
    @GuardedBy("this")
    private Duration absence() {
        return granted ? settings.claimTimeout() : settings.pollTimeout();
    }

    private Duration shorter() {
        return settings.claimTimeout().compareTo(settings.pollTimeout()) < 0
                ? settings.claimTimeout()
                : settings.pollTimeout();
    }

    private GatewayException withId(GatewayException shown) {
        return shown.details().queryId() != null
                ? shown
                : new GatewayException(
                        shown.code(), shown.text(), shown.details().withQueryId(id()), shown.getCause());
    }

    private static void wake(@Nullable Waiter waiter) {
        if (waiter != null) {
            waiter.news().complete(null);
        }
    }
}
