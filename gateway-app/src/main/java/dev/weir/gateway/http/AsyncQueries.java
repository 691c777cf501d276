package dev.weir.gateway.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import dev.weir.gateway.query.QueryExecution;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The asynchronous queries and their spooled results. Thread-safe; no method blocks but {@link #close}. */
final class AsyncQueries implements AutoCloseable {

    /** Queries that failed or whose result is gone; one with a result is limited by its user's share of the disk. */
    private static final int MAX_WITHOUT_RESULT = 10_000;

    private final Spool spool;
    private final Duration timeToLive;
    private final InstantSource clock;
    private final Executor disk;
    private final Map<String, AsyncQuery> queries = new ConcurrentHashMap<>();

    @GuardedBy("withoutResult")
    private final ArrayDeque<String> withoutResult = new ArrayDeque<>();

    /**
     * @param timeToLive of a complete result
     * @param disk bounded pool for file access
     */
    AsyncQueries(Spool spool, Duration timeToLive, InstantSource clock, Executor disk) {
        this.spool = spool;
        this.timeToLive = timeToLive;
        this.clock = clock;
        this.disk = disk;
    }

    /** Keeps the result of a query that nobody waits for any more. Takes it when it comes. */
    AsyncQuery adopt(Identity owner, QueryExecution execution, CompletionStage<LoadedResult> coming, long rowLimit) {
        AsyncQuery query = new AsyncQuery(owner, execution);
        queries.put(query.id(), query);
        execution.done().thenAccept(query::done);
        coming.whenComplete((result, thrown) -> {
            if (result == null) {
                settled(query, null, thrown);
                return;
            }
            SpoolWriter writer = new SpoolWriter(spool, owner.user(), result, rowLimit, disk);
            // Before it starts: it closes the stream after it has told, and nobody may hear of that first.
            writer.done().whenComplete((spooled, failure) -> settled(query, spooled, failure));
            writer.start();
        });
        return query;
    }

    private void settled(AsyncQuery query, SpoolWriter.@Nullable Spooled spooled, @Nullable Throwable thrown) {
        if (spooled != null) {
            query.complete(spooled, ends());
        } else {
            query.failed(Problems.of(thrown == null ? new IllegalStateException("no result") : thrown), ends());
            withoutResult(query);
        }
    }

    Optional<AsyncQuery> find(Identity identity, String id) {
        return Optional.ofNullable(queries.get(id))
                .filter(query -> query.visibleTo(identity))
                .map(this::expired);
    }

    /** A result whose time is over is gone, although the sweep has not come by yet. */
    private AsyncQuery expired(AsyncQuery query) {
        AsyncQuery.Status status = query.status();
        if (status.state() == AsyncQuery.ResultState.COMPLETE && over(status.ends())) {
            delete(query);
        }
        return query;
    }

    /** Deletes a result in the background. */
    void delete(AsyncQuery query) {
        SpoolFile file = query.take(ends());
        if (file != null) {
            disk.execute(file::delete);
            withoutResult(query);
        }
    }

    /** Keeps the newest of those that have no result any more, to tell what became of it. */
    private void withoutResult(AsyncQuery query) {
        String eldest = null;
        synchronized (withoutResult) {
            withoutResult.add(query.id());
            if (withoutResult.size() > MAX_WITHOUT_RESULT) {
                eldest = withoutResult.remove();
            }
        }
        if (eldest != null) {
            queries.remove(eldest);
        }
    }

    /** Deletes what has expired, and forgets what has been gone for as long. */
    void sweep() {
        for (AsyncQuery query : queries.values()) {
            AsyncQuery.Status status = query.status();
            if (!over(status.ends())) {
                continue;
            }
            if (status.state() == AsyncQuery.ResultState.COMPLETE) {
                delete(query);
            } else {
                queries.remove(query.id());
            }
        }
    }

    private Instant ends() {
        return clock.instant().plus(timeToLive);
    }

    private boolean over(@Nullable Instant ends) {
        return ends != null && !clock.instant().isBefore(ends);
    }

    /** Deletes every result: nobody could ask for them after a restart. */
    @Override
    public void close() {
        for (AsyncQuery query : queries.values()) {
            SpoolFile file = query.take(ends());
            if (file != null) {
                file.delete();
            }
        }
    }
}
