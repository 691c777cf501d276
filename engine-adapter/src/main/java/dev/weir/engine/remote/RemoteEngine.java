package dev.weir.engine.remote;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineIngest;
import dev.weir.engine.EngineMemory;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineSession;
import dev.weir.engine.EngineStats;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import dev.weir.engine.remote.RemoteAsk.Asked;
import dev.weir.engine.wire.Command;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import dev.weir.engine.wire.Wire;
import dev.weir.engine.wire.WireIngest;
import dev.weir.engine.wire.WireQuery;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engine of one worker. Connects lazily and again after a loss; a call that finds no worker fails with UNAVAILABLE
 * within the connect timeout. A stream that breaks is resumed at the first batch that was not received, if the worker
 * still holds it; else the result fails with LOST.
 */
public final class RemoteEngine implements QueryEngine {

    private static final Logger log = LoggerFactory.getLogger(RemoteEngine.class);
    private static final int CLOSE_SECONDS = 5;

    private final Conversations all;
    private final Function<String, StatementScan> scanner;
    private final ScheduledFuture<?> heartbeat;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile EngineInfo info;

    /**
     * @param info what the worker runs, as far as it is known before the first {@link #report()}
     * @param scanner classifies texts here, without the worker
     */
    public RemoteEngine(RemoteSettings settings, EngineInfo info, Function<String, StatementScan> scanner) {
        this.all = new Conversations(settings);
        this.info = info;
        this.scanner = scanner;
        long every = settings.heartbeat().toNanos();
        this.heartbeat = all.timer().scheduleWithFixedDelay(this::beat, every, every, TimeUnit.NANOSECONDS);
    }

    /** Says that all is still wanted, and asks whether the worker still lives: a connection may die without a word. */
    private void beat() {
        try {
            if (!all.isQuiet()) {
                all.ping();
                report();
            }
        } catch (RuntimeException e) {
            log.error("A heartbeat to worker {} failed", all.settings().name(), e);
        }
    }

    /** Asks the worker for its figures, and so whether it lives; fails with UNAVAILABLE within the connect timeout. */
    public EngineCall<WorkerReport> report() {
        return new RemoteAsk<>(all, (reply, frame) -> report((Reply.Report) reply), Asked.WORKER)
                .start(framed(new Command.Report()));
    }

    private WorkerReport report(Reply.Report said) {
        info = said.engine();
        return new WorkerReport(
                said.name(),
                said.engine(),
                said.instance(),
                said.slots(),
                said.running(),
                said.memoryBytes(),
                said.reservedBytes(),
                said.limit(),
                said.draining());
    }

    /** How many broken streams were taken up again since the start. */
    public long resumes() {
        return all.resumes().get();
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public StatementScan scan(String sql) {
        return scanner.apply(sql);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        return describe(query, null);
    }

    /** @param session token of the session that it belongs to; null for none */
    EngineCall<StatementDescription> describe(EngineQuery query, @Nullable String session) {
        Frame command;
        try {
            command = framed(new Command.Describe(WireQuery.of(query, session)));
        } catch (EngineException e) {
            return new Refused<>(e);
        }
        return new RemoteAsk<>(all, RemoteEngine::description, Asked.ENGINE).start(command);
    }

    private static Frame framed(Command command) {
        Frame frame = Frame.of(command);
        byte[] json = frame.command();
        if (json != null && json.length > Wire.MAX_PART_BYTES) {
            throw new EngineException(
                    EngineFailure.TOO_LARGE, "The statement's parameters are too large", "54000", -1, null);
        }
        return frame;
    }

    private static StatementDescription description(Reply reply, Frame frame) {
        byte[] schema = frame.header();
        if (schema == null) {
            throw new IllegalArgumentException("A description without its schema");
        }
        return new StatementDescription(Schemas.read(schema), Schemas.read(((Reply.Described) reply).parameters()));
    }

    @Override
    public EngineCall<ArrowResult> execute(EngineQuery query) {
        return execute(query, null);
    }

    /** @param session token of the session that it belongs to; null for none */
    EngineCall<ArrowResult> execute(EngineQuery query, @Nullable String session) {
        String token = UUID.randomUUID().toString();
        try {
            return run(
                    token,
                    new Command.Run(token, WireQuery.of(query, session)),
                    () -> scan(query.sql()).kind().isRead());
        } catch (EngineException e) {
            return new Refused<>(e);
        }
    }

    /** A session of the worker's engine; it ends with the connection to the worker. */
    @Override
    public EngineSession openSession(Access access) {
        return new RemoteSession(this, QueryEngine.super.openSession(access), access);
    }

    @Override
    public boolean hasTransactions() {
        return true;
    }

    /** Makes the worker hold a session. */
    RemoteHold hold(String token, Access access) {
        return new RemoteHold(all).start(framed(new Command.Hold(token, access)));
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        String token = UUID.randomUUID().toString();
        return run(token, new Command.Metadata(token, request, null), () -> true);
    }

    /** @param session token of the session that asks */
    EngineCall<ArrowResult> metadata(MetadataRequest request, String session) {
        String token = UUID.randomUUID().toString();
        return run(token, new Command.Metadata(token, request, session), () -> true);
    }

    @Override
    public CompletionStage<EngineMemory> memory() {
        return new RemoteAsk<>(all, (reply, frame) -> ((Reply.Memory) reply).held(), Asked.FIGURE)
                .start(framed(new Command.Memory()))
                .result()
                .exceptionally(failure -> EngineMemory.UNKNOWN);
    }

    private EngineCall<ArrowResult> run(String token, Command command, BooleanSupplier read) {
        return new RemoteRun(all, token, framed(command), read, null).start().call();
    }

    /** Whether the worker's database can be written is known there: one that cannot refuses the ingest. */
    @Override
    public boolean takesIngest() {
        return true;
    }

    @Override
    public EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed) {
        return ingest(ingest, feed, null);
    }

    /** @param session token of the session that it belongs to; null for none */
    EngineCall<ArrowResult> ingest(EngineIngest ingest, IngestFeed feed, @Nullable String session) {
        String token = UUID.randomUUID().toString();
        Frame command =
                Frame.of(new Command.Load(token, WireIngest.of(ingest, session)), Schemas.write(ingest.schema()));
        return new RemoteRun(all, token, command, () -> false, feed).start().call();
    }

    @Override
    @SuppressWarnings("NullAway") // A CompletionStage<Void> completes with null.
    public EngineCall<Void> check() {
        return new RemoteAsk<Void>(all, (reply, frame) -> null, Asked.ENGINE).start(framed(new Command.Check()));
    }

    @Override
    public EngineStats stats() {
        return all.stats();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        heartbeat.cancel(false);
        try {
            all.stop().get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            log.warn("Worker {} did not stop all within {} s", all.settings().name(), CLOSE_SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long left = all.close();
        if (left > 0) {
            log.warn("{} bytes of results were not given back", left);
        }
    }

    /** A call that was refused before anything began. */
    private record Refused<T>(EngineException failure) implements EngineCall<T> {

        @Override
        public CompletionStage<T> result() {
            return CompletableFuture.failedFuture(failure);
        }

        @Override
        public void cancel() {}

        @Override
        public CompletionStage<Void> stopped() {
            return CompletableFuture.completedFuture(null);
        }
    }
}
