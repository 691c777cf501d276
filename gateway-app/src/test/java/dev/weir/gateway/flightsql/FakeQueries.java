package dev.weir.gateway.flightsql;

import dev.weir.auth.Identity;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.AdmissionView;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySession;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import dev.weir.gateway.query.ResultStream;
import dev.weir.gateway.query.TestBatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/** A query service whose statements are scripts, by their text; it remembers everything it was asked. */
final class FakeQueries implements QueryService {

    static final Schema NUMBERS = new Schema(List.of(Field.nullable("n", new ArrowType.Int(64, true))));
    static final Schema NONE = new Schema(List.of());

    /**
     * What a statement is and does.
     *
     * @param kind of it
     * @param schema of its rows; no fields for none
     * @param parameters it takes
     * @param batches it gives
     * @param rows in each
     * @param count of changed rows
     */
    record Script(StatementKind kind, Schema schema, Schema parameters, int batches, int rows, OptionalLong count) {

        static Script numbers(int batches, int rows) {
            return new Script(StatementKind.QUERY, NUMBERS, NONE, batches, rows, OptionalLong.empty());
        }

        static Script update(long count) {
            return new Script(StatementKind.DML, NONE, NONE, 0, 0, OptionalLong.of(count));
        }

        static Script ddl() {
            return new Script(StatementKind.DDL, NONE, NONE, 0, 0, OptionalLong.empty());
        }

        Script withParameters(Field... fields) {
            return new Script(kind, schema, new Schema(List.of(fields)), batches, rows, count);
        }
    }

    /** A description that was asked for. */
    record Described(Identity identity, String sql, SessionSettings settings) {}

    final BufferAllocator allocator;
    final Map<String, Script> scripts = new java.util.concurrent.ConcurrentHashMap<>();
    final Map<String, GatewayException> failures = new java.util.concurrent.ConcurrentHashMap<>();
    final List<Execution> executions = new CopyOnWriteArrayList<>();
    final List<FakeSession> sessions = new CopyOnWriteArrayList<>();
    final List<Described> described = new CopyOnWriteArrayList<>();
    final List<MetadataRequest> catalogRequests = new CopyOnWriteArrayList<>();
    volatile Function<MetadataRequest, VectorSchemaRoot> catalog = request -> {
        throw new GatewayException(GatewayErrorCode.ENGINE_UNAVAILABLE, "no catalog");
    };

    /** Queries stay queued until opened by hand when set. */
    volatile boolean holdQueued;

    /** Where held queries are in the queue; 0 when they have left it and run. */
    volatile int position;

    /** Batches come encoded when set. */
    volatile boolean encoded;

    /** Every batch that came encoded. */
    final List<TestBatch> relayed = new CopyOnWriteArrayList<>();

    /** Fills a statement's batches otherwise than with numbers; by the statement's text. */
    final Map<String, Consumer<VectorSchemaRoot>> fillers = new java.util.concurrent.ConcurrentHashMap<>();

    /** Batches come only when given by hand when set. */
    volatile boolean holdBatches;

    /** What every description is, once it is complete; null when each is there at once. */
    volatile CompletableFuture<Description> describing;

    FakeQueries(BufferAllocator allocator) {
        this.allocator = allocator;
    }

    Execution last() {
        return executions.get(executions.size() - 1);
    }

    @Override
    public QueryExecution submit(Identity identity, QueryRequest request) {
        Execution execution = new Execution(identity, request, executions.size());
        executions.add(execution);
        GatewayException failure = failures.get(request.sql());
        Script script = scripts.get(request.sql());
        if (failure != null) {
            execution.fail(failure);
        } else if (script == null) {
            execution.fail(new GatewayException(GatewayErrorCode.INVALID_SQL, "Unknown table."));
        } else if (!holdQueued) {
            execution.open();
        }
        return execution;
    }

    @Override
    public CompletionStage<Description> describe(Identity identity, String sql, SessionSettings settings) {
        described.add(new Described(identity, sql, settings));
        CompletableFuture<Description> held = describing;
        if (held != null) {
            return held;
        }
        Script script = scripts.get(sql);
        if ("nowhere".equals(settings.catalog()) || "nowhere".equals(settings.schema())) {
            return CompletableFuture.failedFuture(
                    new GatewayException(GatewayErrorCode.INVALID_SQL, "There is no such catalog."));
        }
        if (script == null) {
            return CompletableFuture.failedFuture(new GatewayException(GatewayErrorCode.INVALID_SQL, "Unknown table."));
        }
        boolean givesRows = !script.schema().getFields().isEmpty();
        return CompletableFuture.completedFuture(
                new Description(script.kind(), givesRows, script.schema(), script.parameters()));
    }

    @Override
    public QuerySession openSession(Identity identity) {
        FakeSession session = new FakeSession(this);
        sessions.add(session);
        return session;
    }

    @Override
    public boolean needsSession(String sql) {
        Script script = scripts.get(sql);
        return script != null && script.kind() == StatementKind.SESSION;
    }

    @Override
    public CompletionStage<ResultStream> metadata(Identity identity, MetadataRequest request) {
        catalogRequests.add(request);
        try {
            return CompletableFuture.completedFuture(new OneBatch(catalog.apply(request)));
        } catch (GatewayException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public Optional<QuerySnapshot> find(Identity identity, String queryId) {
        return Optional.empty();
    }

    @Override
    public List<QuerySnapshot> list(Identity identity) {
        return List.of();
    }

    @Override
    public Optional<QuerySnapshot> cancel(Identity identity, String queryId) {
        return Optional.empty();
    }

    @Override
    public AdmissionView admission() {
        throw new UnsupportedOperationException("this front does not ask");
    }

    @Override
    public CompletionStage<Boolean> ready() {
        return CompletableFuture.completedFuture(true);
    }

    /** One query; ends once. */
    final class Execution implements QueryExecution {
        final Identity identity;
        final QueryRequest request;
        final CompletableFuture<ResultStream> stream = new CompletableFuture<>();
        final CompletableFuture<QuerySnapshot> done = new CompletableFuture<>();
        final List<CancelReason> cancels = new CopyOnWriteArrayList<>();
        final AtomicInteger snapshots = new AtomicInteger();
        private final String id;
        volatile Numbers numbers;

        Execution(Identity identity, QueryRequest request, int number) {
            this.identity = identity;
            this.request = request;
            this.id = "q-" + number;
        }

        void open() {
            numbers = new Numbers(this, scripts.get(request.sql()));
            if (!stream.complete(numbers)) {
                numbers.root.close();
            }
        }

        @Override
        public boolean fail(GatewayException failure) {
            end(QueryState.FAILED, failure.code(), failure.text());
            return stream.completeExceptionally(failure);
        }

        void end(QueryState state, GatewayErrorCode error, String message) {
            done.complete(snapshot(state, error, message));
        }

        private QuerySnapshot snapshot(QueryState state, GatewayErrorCode error, String message) {
            Script script = scripts.get(request.sql());
            return Snapshots.of(this, state, script == null ? null : script.kind(), position, error, message);
        }

        @Override
        public String id() {
            return id;
        }

        @Override
        public CompletionStage<ResultStream> stream() {
            return stream;
        }

        @Override
        public CompletionStage<QuerySnapshot> done() {
            return done;
        }

        @Override
        public boolean cancel(CancelReason reason) {
            if (done.isDone()) {
                return false;
            }
            cancels.add(reason);
            GatewayException cancelled = new GatewayException(
                    GatewayErrorCode.CANCELLED, "The query was cancelled.", ErrorDetails.NONE.withQueryId(id));
            end(QueryState.CANCELLED, null, null);
            stream.completeExceptionally(cancelled);
            if (numbers != null) {
                numbers.abort(cancelled);
            }
            return true;
        }

        @Override
        public QuerySnapshot snapshot() {
            snapshots.incrementAndGet();
            if (done.isDone()) {
                return done.join();
            }
            boolean waits = !stream.isDone() && position > 0;
            return snapshot(waits ? QueryState.QUEUED : QueryState.RUNNING, null, null);
        }
    }

    /** Batches of ascending numbers. */
    final class Numbers implements ResultStream {
        final AtomicInteger pulls = new AtomicInteger();
        final AtomicInteger closes = new AtomicInteger();
        final java.util.concurrent.atomic.AtomicLong delivered = new java.util.concurrent.atomic.AtomicLong();
        final CompletableFuture<GatewayException> aborted = new CompletableFuture<>();
        final VectorSchemaRoot root;
        private final Execution execution;
        private final Script script;
        private volatile CompletableFuture<Boolean> pending;
        private volatile boolean complete;
        private int given;
        private long next;

        Numbers(Execution execution, Script script) {
            this.execution = execution;
            this.script = script;
            this.root = VectorSchemaRoot.create(script.schema(), allocator);
        }

        @Override
        public Schema schema() {
            return script.schema();
        }

        @Override
        public VectorSchemaRoot root() {
            return root;
        }

        @Override
        public DictionaryProvider dictionaries() {
            return new DictionaryProvider.MapDictionaryProvider();
        }

        @Override
        public OptionalLong updateCount() {
            return script.count();
        }

        @Override
        public CompletionStage<Boolean> next() {
            pulls.incrementAndGet();
            GatewayException abort = aborted.getNow(null);
            if (abort != null) {
                return CompletableFuture.failedFuture(abort);
            }
            CompletableFuture<Boolean> pull = new CompletableFuture<>();
            pending = pull;
            if (!holdBatches) {
                give();
            }
            return pull;
        }

        @Override
        public boolean givesEncoded() {
            return encoded;
        }

        @Override
        public CompletionStage<EncodedBatch> nextEncoded() {
            return next().thenApply(more -> {
                if (!more) {
                    return null;
                }
                TestBatch batch = TestBatch.of(root, allocator, relayed.size() % 2 == 1);
                relayed.add(batch);
                return batch;
            });
        }

        /** Answers the pull that waits. */
        void give() {
            if (given == script.batches()) {
                complete = true;
                pending.complete(false);
                return;
            }
            given++;
            root.clear();
            Consumer<VectorSchemaRoot> filler = fillers.get(execution.request.sql());
            if (filler != null) {
                filler.accept(root);
                pending.complete(true);
                return;
            }
            if (!root.getFieldVectors().isEmpty()) {
                BigIntVector vector = (BigIntVector) root.getVector(0);
                vector.allocateNew(script.rows());
                for (int row = 0; row < script.rows(); row++) {
                    vector.set(row, next++);
                }
                vector.setValueCount(script.rows());
            }
            root.setRowCount(script.rows());
            pending.complete(true);
        }

        void fail(GatewayException failure) {
            execution.end(QueryState.FAILED, failure.code(), failure.text());
            pending.completeExceptionally(failure);
        }

        void abort(GatewayException failure) {
            CompletableFuture<Boolean> pull = pending;
            if (pull != null) {
                pull.completeExceptionally(failure);
            }
            aborted.complete(failure);
        }

        @Override
        public CompletionStage<GatewayException> aborted() {
            return aborted;
        }

        @Override
        public void delivered(long bytes) {
            delivered.addAndGet(bytes);
        }

        @Override
        public void finishEarly() {
            complete = true;
        }

        @Override
        public void close() {
            if (closes.incrementAndGet() == 1) {
                root.close();
                if (!complete && !execution.done.isDone()) {
                    execution.cancels.add(CancelReason.CLIENT_GONE);
                }
                execution.end(complete ? QueryState.FINISHED : QueryState.CANCELLED, null, null);
            }
        }
    }
}
