package dev.weir.gateway.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QuerySnapshot;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A query whose result is spooled. Owns the file from its completion on. Thread-safe. */
final class AsyncQuery {

    /** What became of the result. */
    enum ResultState {
        /** The query waits or runs. */
        PENDING,
        COMPLETE,
        /** There is none: the query failed or was cancelled. */
        FAILED,
        /** It was deleted, or its time is over. */
        GONE
    }

    /**
     * How the result stands.
     *
     * @param spooled the result; null unless complete
     * @param ends when a complete result goes, or one that failed or is gone is forgotten; null while pending
     * @param failure why there is none; null unless failed
     */
    record Status(
            ResultState state,
            SpoolWriter.@Nullable Spooled spooled,
            @Nullable Instant ends,
            @Nullable GatewayException failure) {}

    private final String id;
    private final String user;
    /** Until it is done: then its last snapshot is kept, without the statement and what else a query holds. */
    private volatile @Nullable QueryExecution execution;

    private volatile QuerySnapshot last;

    @GuardedBy("this")
    private Status status = new Status(ResultState.PENDING, null, null, null);

    AsyncQuery(Identity owner, QueryExecution execution) {
        this.id = execution.id();
        this.user = owner.user();
        this.execution = execution;
        this.last = execution.snapshot();
    }

    String id() {
        return id;
    }

    /** The query is done; its result may still be there. */
    void done(QuerySnapshot snapshot) {
        last = snapshot;
        execution = null;
    }

    boolean visibleTo(Identity identity) {
        return identity.role().includes(Role.ADMIN) || identity.user().equals(user);
    }

    /** Also of a query that the service has forgotten. */
    QuerySnapshot snapshot() {
        QueryExecution running = execution;
        return running == null ? last : running.snapshot();
    }

    synchronized Status status() {
        return status;
    }

    void failed(GatewayException failure, Instant ends) {
        synchronized (this) {
            status = new Status(ResultState.FAILED, null, ends, failure);
        }
        QueryExecution running = execution;
        if (running != null) {
            // No effect when that is how the query itself ended.
            running.fail(failure);
        }
    }

    synchronized void complete(SpoolWriter.Spooled spooled, Instant ends) {
        status = new Status(ResultState.COMPLETE, spooled, ends, null);
    }

    /**
     * Takes the result away, when there is one.
     *
     * @param ends when the query is forgotten
     * @return the file, to be deleted by the caller; else null
     */
    synchronized @Nullable SpoolFile take(Instant ends) {
        if (status.state() != ResultState.COMPLETE) {
            return null;
        }
        SpoolFile file = Objects.requireNonNull(status.spooled()).file();
        status = new Status(ResultState.GONE, null, ends, null);
        return file;
    }
}
