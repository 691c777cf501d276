package dev.weir.engine.cluster;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.FakeResult;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementKind;
import dev.weir.engine.StatementScan;
import dev.weir.engine.remote.WorkerReport;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.Schema;

/** A worker in a test's hands. Opens results at once unless it refuses; what runs there, the test moves on. */
final class FakeWorker implements QueryEngine {

    final String name;
    final BufferAllocator allocator = new RootAllocator();
    final List<FakeResult> results = new ArrayList<>();
    final List<FakeCall<ArrowResult>> held = new ArrayList<>();
    final List<EngineQuery> asked = new ArrayList<>();

    /** What everything fails with; null while it answers. */
    volatile EngineFailure refuses;

    volatile boolean reports = true;
    volatile boolean draining;
    volatile boolean readOnly = true;
    volatile String instance = "1";
    volatile int slots = 4;
    volatile long memoryBytes = 1_000;

    /** What others run there. */
    volatile int others;

    /** Hold calls open instead of opening their results. */
    volatile boolean holds;

    volatile Schema schema = FakeResult.SCHEMA;
    volatile boolean closed;

    /** Checks get no answer at all. */
    volatile boolean hangs;

    FakeWorker(String name) {
        this.name = name;
    }

    WorkerLink link() {
        return new WorkerLink(this, this::report, () -> 0);
    }

    WorkerAddress address() {
        return new WorkerAddress(name, name + ".test", 31338, null, null, 0, 0);
    }

    long open() {
        return results.stream().filter(result -> !result.stopped.isDone()).count();
    }

    EngineCall<WorkerReport> report() {
        if (hangs) {
            return new FakeCall<>();
        }
        if (!reports) {
            return FakeCall.failed(EngineFailure.UNAVAILABLE);
        }
        return FakeCall.of(new WorkerReport(
                name, info(), instance, slots, (int) open() + others, memoryBytes, 0, "engine", draining));
    }

    @Override
    public synchronized EngineCall<ArrowResult> execute(EngineQuery query) {
        asked.add(query);
        if (refuses != null) {
            return FakeCall.failed(refuses);
        }
        if (holds) {
            FakeCall<ArrowResult> call = new FakeCall<>();
            held.add(call);
            return call;
        }
        FakeResult result = new FakeResult(schema, allocator);
        results.add(result);
        return FakeCall.of(result);
    }

    @Override
    public EngineInfo info() {
        return new EngineInfo("fake", "1", readOnly);
    }

    @Override
    public StatementScan scan(String sql) {
        return scanOf(sql);
    }

    /** Statements that begin with "write" change something. */
    static StatementScan scanOf(String sql) {
        return sql.startsWith("write")
                ? new StatementScan(StatementKind.DML, Access.WRITE, 2, false)
                : new StatementScan(StatementKind.QUERY, Access.READ, 1, false);
    }

    @Override
    public EngineCall<StatementDescription> describe(EngineQuery query) {
        asked.add(query);
        return refuses != null
                ? FakeCall.failed(refuses)
                : FakeCall.of(new StatementDescription(schema, new Schema(List.of())));
    }

    @Override
    public EngineCall<ArrowResult> metadata(MetadataRequest request) {
        return execute(EngineQuery.read("m", "m"));
    }

    @Override
    public EngineCall<Void> check() {
        return refuses == EngineFailure.UNAVAILABLE || refuses == EngineFailure.LOST
                ? FakeCall.failed(refuses)
                : FakeCall.of(null);
    }

    @Override
    public EngineStats stats() {
        return new EngineStats((int) open(), 0, 0, 0);
    }

    @Override
    public void close() {
        closed = true;
    }
}
