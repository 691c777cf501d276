package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.auth.Identity;
import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestSchema;
import dev.weir.engine.QueryContext;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementRunner;
import dev.weir.engine.StatementScan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** One bulk ingest: its uploads on one side, its query on the other. Thread-safe. */
final class Ingest {

    private final IngestRequest request;
    private final Identity identity;
    private final StatementRunner runner;
    private final Timers timers;
    private final Duration stallTimeout;
    private final BiFunction<Ingest, IngestRequest, QueryRun> submit;
    private final UploadFeed feed;
    private final CompletableFuture<Void> committed = new CompletableFuture<>();
    private final AtomicReference<Timers.@Nullable Timer> watch = new AtomicReference<>();
    private volatile @Nullable QueryRun run;

    @GuardedBy("this")
    private @Nullable Schema schema;

    @GuardedBy("this")
    private @Nullable GatewayException failure;

    /** How its query ends with that failure, even one that is only being submitted when it fails. */
    @GuardedBy("this")
    private @Nullable Consumer<QueryRun> ending;

    /**
     * @param submit starts the query of an ingest
     * @param ended told once, when nothing of it is left
     */
    Ingest(
            Identity identity,
            IngestRequest request,
            StatementRunner runner,
            BufferAllocator memory,
            Timers timers,
            Duration stallTimeout,
            BiFunction<Ingest, IngestRequest, QueryRun> submit,
            Runnable ended) {
        this.identity = identity;
        this.request = request;
        this.runner = runner;
        this.timers = timers;
        this.stallTimeout = stallTimeout;
        this.submit = submit;
        IngestRequest.Part part = request.part();
        this.feed = new UploadFeed(memory, part == null ? 1 : part.parts(), timers::nanoTime, this::watch, this::count);
        var unused = committed.whenComplete((nothing, thrown) -> {
            feed.close();
            ended.run();
        });
    }

    Identity identity() {
        return identity;
    }

    /** The engine, or the session that the rows are loaded in. */
    StatementRunner runner() {
        return runner;
    }

    IngestFeed feed() {
        return feed;
    }

    /** What a scan would say of it. */
    StatementScan scan() {
        return new StatementScan(
                StatementKind.INGEST,
                StatementKind.INGEST.needs(),
                Objects.hash("ingest", request.target(), request.mode()),
                false);
    }

    /** What the engine is asked for. */
    synchronized EngineIngest of(String queryId, Access access, QueryContext context) {
        return new EngineIngest(
                queryId,
                request.target(),
                request.mode(),
                Objects.requireNonNull(schema),
                access,
                request.query().settings(),
                context);
    }

    /** @return its inlet */
    IngestInlet join(IngestRequest joining, StatementRunner in) {
        IngestRequest.Part part = joining.part();
        IngestRequest.Part own = request.part();
        boolean same = in == runner
                && joining.target().equals(request.target())
                && joining.mode() == request.mode()
                && (part == null ? own == null : own != null && part.parts() == own.parts());
        if (!same) {
            throw invalid("The parts of an ingest must name the same table, mode, number of parts and transaction.");
        }
        int number = part == null ? 0 : part.part();
        if (!feed.join(number)) {
            throw new GatewayException(
                    GatewayErrorCode.CONFLICT, "Part " + number + " of this ingest has come already.");
        }
        return new Inlet(number);
    }

    private static GatewayException invalid(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
    }

    /** The first schema starts the query; the others must be equal. */
    private void schema(ByteBuffer message) {
        Schema given = IngestSchema.read(message);
        synchronized (this) {
            if (failure != null) {
                throw failure;
            }
            Schema first = schema;
            if (first != null) {
                if (!first.equals(given)) {
                    throw invalid("The parts of an ingest must have the same schema.");
                }
                return;
            }
            schema = given;
        }
        QueryRun started = submit.apply(this, request);
        @Nullable Consumer<QueryRun> late;
        synchronized (this) {
            run = started;
            late = ending;
        }
        var unused = started.stream().whenComplete((stream, thrown) -> {
            if (stream != null) {
                finish(started, stream);
            } else {
                started.done().thenAccept(last -> ended(started, thrown));
            }
        });
        if (late != null) {
            end(started, late);
        }
    }

    /** The rows are committed; the query ends as one whose result was read. */
    private void finish(QueryRun of, ResultStream stream) {
        stream.next().whenComplete((more, thrown) -> {
            stream.close();
            of.done().thenAccept(last -> ended(of, last.state() == QueryState.FINISHED ? null : last.failure()));
        });
    }

    private void ended(QueryRun of, @Nullable Throwable thrown) {
        stopWatch();
        if (thrown == null && of.snapshot().state() == QueryState.FINISHED) {
            committed.complete(null);
        } else {
            committed.completeExceptionally(
                    thrown == null
                            ? new GatewayException(GatewayErrorCode.CANCELLED, "The query was cancelled.")
                            : Failures.of(thrown, of.id(), false));
        }
    }

    /** Ends the ingest as failed, whether or not its query has begun. */
    private void fail(GatewayException why) {
        stop(why, started -> started.fail(why));
    }

    private void abandon(CancelReason reason) {
        stop(
                new GatewayException(GatewayErrorCode.CANCELLED, "A client of this ingest went away."),
                started -> started.cancel(reason));
    }

    private void stop(GatewayException why, Consumer<QueryRun> how) {
        QueryRun started;
        synchronized (this) {
            if (failure == null) {
                failure = why;
                ending = how;
            }
            started = run;
        }
        if (started != null) {
            end(started, how);
        } else {
            committed.completeExceptionally(why);
        }
    }

    private void end(QueryRun started, Consumer<QueryRun> how) {
        how.accept(started);
        feed.fail(new EngineException(EngineFailure.CANCELLED, "The upload was given up", "57014", -1, null));
    }

    private void count(long rows, long bytes) {
        QueryRun started = run;
        if (started != null) {
            started.record().uploaded(rows, bytes);
        }
    }

    /** The engine reads from now on, so that a client that sends nothing keeps it waiting. */
    private void watch() {
        arm(stallTimeout);
    }

    private void arm(Duration delay) {
        watch.set(timers.schedule(delay, this::look));
        if (committed.isDone()) {
            stopWatch();
        }
    }

    private void look() {
        UploadFeed.Idle idle = feed.idle(timers.nanoTime());
        long left = idle == null ? stallTimeout.toNanos() : stallTimeout.toNanos() - idle.nanos();
        if (left > 0) {
            arm(Duration.ofNanos(left));
            return;
        }
        String who =
                idle == null || idle.joined() ? "The upload sent nothing" : "Part " + idle.part() + " did not come";
        fail(new GatewayException(
                GatewayErrorCode.CLIENT_STALLED,
                who + " within client-stall-timeout (" + stallTimeout.toMillis() + " ms); nothing was kept.",
                ErrorDetails.ofLimit("query", "client-stall-timeout", stallTimeout.toMillis() + " ms")));
    }

    private void stopWatch() {
        Timers.Timer timer = watch.get();
        if (timer != null) {
            timer.cancel();
        }
    }

    /** One upload's way in. */
    private final class Inlet implements IngestInlet {

        private final int part;
        private boolean begun;

        Inlet(int part) {
            this.part = part;
        }

        @Override
        public BufferAllocator allocator() {
            return feed.allocator();
        }

        @Override
        public boolean hasRoom() {
            return !begun || feed.hasRoom(part);
        }

        @Override
        public void onRoom(Runnable action) {
            feed.onRoom(part, action);
        }

        @Override
        public void arriving(long bytes) {
            feed.arriving(part);
        }

        @Override
        public void add(ByteBuffer metadata, ArrowBuf body) {
            if (begun) {
                feed.add(part, metadata, body);
                return;
            }
            begun = true;
            try (body) {
                schema(metadata);
            } catch (RuntimeException e) {
                GatewayException refused = Failures.of(e, null, false);
                Ingest.this.fail(refused);
                throw refused;
            }
        }

        @Override
        public void end() {
            if (!begun) {
                fail(invalid("The upload ended before its schema came."));
                return;
            }
            feed.end(part);
        }

        @Override
        public void fail(GatewayException failure) {
            if (!feed.hasEnded(part)) {
                Ingest.this.fail(failure);
            }
        }

        @Override
        public void abandon(CancelReason reason) {
            if (!committed.isDone()) {
                Ingest.this.abandon(reason);
            }
        }

        @Override
        public CompletionStage<Long> rows() {
            return committed.handle((nothing, thrown) -> {
                if (thrown != null) {
                    throw Failures.unwrap(thrown) instanceof GatewayException known ? known : Failures.internal(thrown);
                }
                return feed.rows(part);
            });
        }

        @Override
        public Optional<QuerySnapshot> query() {
            QueryRun started = run;
            return started == null ? Optional.empty() : Optional.of(started.snapshot());
        }
    }
}
