package dev.weir.engine.duckdb;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.MetadataRequest;
import java.sql.SQLException;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.duckdb.DuckDBConnection;

/** What every call of one engine shares. */
record EngineCore(
        QueryConnections connections,
        ConstantConnections constants,
        EngineThreads threads,
        Reaper reaper,
        BufferAllocator memory,
        Set<NativeScope> open,
        Set<DuckDbSession> sessions,
        EngineHealth health) {

    /** A scope that counts as open until its memory is given back, and that closing the engine ends. */
    NativeScope newScope() {
        return register(new NativeScope(reaper));
    }

    /** Such a scope, whose connection is lent to it: it is given back where another's is closed. */
    NativeScope newScope(Consumer<NativeScope> lender) {
        return register(new NativeScope(reaper, lender));
    }

    private NativeScope register(NativeScope scope) {
        open.add(scope);
        scope.stopped().whenComplete((nothing, none) -> open.remove(scope));
        return scope;
    }

    /** Answers a question about the catalog as a connection sees it, on the thread inside its scope. */
    ArrowResult catalog(DuckDBConnection connection, MetadataRequest request) throws SQLException {
        NativeScope detached = newScope();
        BufferAllocator buffers = detached.own(memory.newChildAllocator("metadata", 0, Long.MAX_VALUE));
        RowWriter rows = new RowWriter(CatalogReader.schema(request), buffers);
        try {
            new CatalogReader(connection, request, rows).read();
        } catch (SQLException | RuntimeException e) {
            rows.discard();
            detached.end();
            throw e;
        }
        return detached(detached, rows.finish(), OptionalLong.empty());
    }

    /** Results that were handed over and not closed yet. */
    int openResults() {
        int results = 0;
        for (NativeScope scope : open) {
            results += scope.isResult() ? 1 : 0;
        }
        return results;
    }

    /** The result of a statement without rows. */
    ArrowResult counted(long changed) {
        return detached(newScope(), VectorSchemaRoot.of(), OptionalLong.of(changed));
    }

    private static ArrowResult detached(NativeScope scope, VectorSchemaRoot root, OptionalLong updateCount) {
        scope.add(root);
        scope.becomeResult();
        return new MemoryResult(scope, root, updateCount);
    }
}
