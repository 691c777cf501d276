package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What became of the tickets: which queries run under them, which writes were redeemed, which were cancelled.
 *
 * <p>Thread-safe: one lock, held for a few map operations; queries are cancelled after it is given back.
 */
final class TicketLedger {

    /** Redeemed writes that are remembered; beyond it a further one is refused rather than one forgotten. */
    static final int MAX_WRITES = 100_000;

    /** Reads that are remembered after their end; only the answer to a late cancel depends on it. */
    private static final int MAX_ENDED_READS = 10_000;

    /** What became of a ticket that was asked to be cancelled. */
    enum Cancellation {
        /** Its queries have stopped, or it was never redeemed and never can be. */
        CANCELLED,
        /** Its queries were asked to stop and have not yet. */
        CANCELLING,
        /** Its queries were done. */
        TOO_LATE
    }

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, Entry> live = new HashMap<>();

    @GuardedBy("lock")
    private final Cache<String, Entry> ended;

    @GuardedBy("lock")
    private final Cache<String, Entry> writes;

    /**
     * @param timeToLive of tickets: what a ticket was used for is remembered as long after its end
     */
    TicketLedger(Duration timeToLive, Ticker ticker) {
        ended = Caffeine.newBuilder()
                .expireAfterWrite(timeToLive)
                .maximumSize(MAX_ENDED_READS)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
        writes = Caffeine.newBuilder()
                .expireAfterWrite(timeToLive)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** One ticket; its fields are guarded by the ledger's lock. */
    private static final class Entry {
        final String user;
        final Set<QueryExecution> running = new HashSet<>();
        int claims;
        boolean redeemed;
        boolean cancelled;

        Entry(String user) {
            this.user = user;
        }
    }

    /**
     * Claims a ticket for one run. {@link #started} or {@link #unclaim} must follow.
     *
     * @throws GatewayException CANCELLED when it was cancelled, CONFLICT when it is a write that was redeemed already
     */
    void claim(StatementTicket ticket, String user) {
        synchronized (lock) {
            Entry entry = entryOf(ticket.id());
            if (entry == null) {
                entry = new Entry(user);
            }
            if (entry.cancelled) {
                throw new GatewayException(
                        GatewayErrorCode.CANCELLED, "The query of this ticket was cancelled; ask for a new one.");
            }
            if (ticket.isWrite()) {
                claimWrite(ticket.id(), entry);
            }
            entry.claims++;
            entry.redeemed = true;
            live.put(ticket.id(), entry);
        }
    }

    @GuardedBy("lock")
    private void claimWrite(String id, Entry entry) {
        if (entry.redeemed) {
            throw new GatewayException(
                    GatewayErrorCode.CONFLICT,
                    "The ticket of a statement that writes can be redeemed once; ask for a new one.");
        }
        if (writes.estimatedSize() >= MAX_WRITES) {
            writes.cleanUp();
        }
        if (writes.estimatedSize() >= MAX_WRITES) {
            throw new GatewayException(
                    GatewayErrorCode.RATE_LIMITED,
                    "Too many tickets of statements that write were redeemed in the last minutes; run it by DoPut.",
                    ErrorDetails.ofLimit("global", "redeemed write tickets", Integer.toString(MAX_WRITES)));
        }
        writes.put(id, entry);
    }

    /** The claim came to nothing: the statement was not started, and the ticket may be redeemed again. */
    void unclaim(StatementTicket ticket) {
        synchronized (lock) {
            Entry entry = live.get(ticket.id());
            if (entry != null && ticket.isWrite()) {
                forget(ticket.id(), entry);
            }
            release(ticket.id());
        }
    }

    /** Registers the run that follows a claim, until it is done. */
    void started(StatementTicket ticket, QueryExecution execution) {
        boolean cancelled;
        synchronized (lock) {
            Entry entry = live.get(ticket.id());
            cancelled = entry != null && entry.cancelled;
            if (entry != null) {
                entry.running.add(execution);
            }
        }
        if (cancelled) {
            execution.cancel(CancelReason.CLIENT_CANCEL);
        }
        var unused = execution.done().thenAccept(snapshot -> {
            synchronized (lock) {
                Entry entry = live.get(ticket.id());
                if (entry != null && entry.running.remove(execution)) {
                    if (ticket.isWrite() && wasRefused(snapshot)) {
                        forget(ticket.id(), entry);
                    }
                    release(ticket.id());
                }
            }
        });
    }

    /**
     * Cancels whatever runs, or could still be started, under a ticket.
     *
     * @param redeemable whether the caller showed a ticket of its own that can still be redeemed
     * @return null when nothing is known of such a ticket of this identity
     */
    @Nullable
    Cancellation cancel(String ticketId, Identity identity, boolean redeemable) {
        List<QueryExecution> targets;
        synchronized (lock) {
            Entry entry = entryOf(ticketId);
            if (entry == null && redeemable) {
                entry = new Entry(identity.user());
                ended.put(ticketId, entry);
            }
            if (entry == null
                    || !entry.user.equals(identity.user()) && !identity.role().includes(Role.ADMIN)) {
                return null;
            }
            if (entry.claims == 0) {
                boolean was = entry.redeemed && !entry.cancelled;
                entry.cancelled |= !entry.redeemed;
                return was ? Cancellation.TOO_LATE : Cancellation.CANCELLED;
            }
            entry.cancelled = true;
            targets = new ArrayList<>(entry.running);
        }
        targets.forEach(execution -> execution.cancel(CancelReason.CLIENT_CANCEL));
        boolean stopped = !targets.isEmpty()
                && targets.stream().allMatch(execution -> execution.snapshot().state() == QueryState.CANCELLED);
        return stopped ? Cancellation.CANCELLED : Cancellation.CANCELLING;
    }

    /** Refused before it was started, a full queue for example: the client may try the same ticket again. */
    private static boolean wasRefused(QuerySnapshot snapshot) {
        GatewayErrorCode error = snapshot.error();
        return snapshot.state() == QueryState.FAILED && error != null && !error.started();
    }

    @GuardedBy("lock")
    private void forget(String id, Entry entry) {
        entry.redeemed = false;
        writes.invalidate(id);
    }

    @GuardedBy("lock")
    private @Nullable Entry entryOf(String id) {
        Entry entry = live.get(id);
        if (entry == null) {
            entry = writes.getIfPresent(id);
        }
        return entry != null ? entry : ended.getIfPresent(id);
    }

    @GuardedBy("lock")
    private void release(String id) {
        Entry entry = live.get(id);
        if (entry != null && --entry.claims == 0) {
            live.remove(id);
            // A write's memory starts to age only now: its ticket must not come back while it ran long.
            if (writes.getIfPresent(id) != null) {
                writes.put(id, entry);
            } else {
                ended.put(id, entry);
            }
        }
    }
}
