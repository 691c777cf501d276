package dev.weir.engine.duckdb;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.MetadataRequest;
import java.sql.SQLException;
import java.util.OptionalLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;

/** What every call of one engine shares. */
record EngineCore(QueryConnections connections, EngineThreads threads, Reaper reaper, BufferAllocator memory) {

    /** Answers a question about the catalog, on the thread inside the scope. */
    ArrowResult catalog(NativeScope scope, MetadataRequest request) throws SQLException {
        NativeScope detached = new NativeScope(reaper);
        BufferAllocator buffers = detached.own(memory.newChildAllocator("metadata", 0, Long.MAX_VALUE));
        RowWriter rows = new RowWriter(CatalogReader.schema(request), buffers);
        try {
            new CatalogReader(connections.plain(scope), request, rows).read();
        } catch (SQLException | RuntimeException e) {
            rows.discard();
            detached.end();
            throw e;
        }
        return detached(detached, rows.finish(), OptionalLong.empty());
    }

    /** The result of a statement without rows. */
    ArrowResult counted(long changed) {
        return detached(new NativeScope(reaper), VectorSchemaRoot.of(), OptionalLong.of(changed));
    }

    private static ArrowResult detached(NativeScope scope, VectorSchemaRoot root, OptionalLong updateCount) {
        scope.add(root);
        return new MemoryResult(scope, root, updateCount);
    }
}
