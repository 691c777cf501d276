package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;

/** The result of a statement that gives no rows, in the shape {@link ArrowSchemas#COUNT}: one row when a count is known. */
final class CountStream implements ResultStream {

    private final ResultStream statement;
    private final VectorSchemaRoot root;
    private boolean given;
    private boolean closed;

    CountStream(ResultStream statement, BufferAllocator allocator) {
        this.statement = statement;
        this.root = VectorSchemaRoot.create(ArrowSchemas.COUNT, allocator);
    }

    @Override
    public Schema schema() {
        return ArrowSchemas.COUNT;
    }

    @Override
    public VectorSchemaRoot root() {
        return root;
    }

    @Override
    public DictionaryProvider dictionaries() {
        return statement.dictionaries();
    }

    @Override
    public OptionalLong updateCount() {
        return statement.updateCount();
    }

    @Override
    public CompletionStage<Boolean> next() {
        return StreamDrain.rowsOf(statement).thenApply(rows -> countRow());
    }

    private synchronized boolean countRow() {
        OptionalLong count = statement.updateCount();
        if (closed || given || count.isEmpty()) {
            root.setRowCount(0);
            return false;
        }
        given = true;
        BigIntVector vector = (BigIntVector) root.getVector(0);
        vector.setSafe(0, count.getAsLong());
        root.setRowCount(1);
        return true;
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return statement.aborted();
    }

    @Override
    public void format(String name) {
        statement.format(name);
    }

    @Override
    public void delivered(long bytes) {
        statement.delivered(bytes);
    }

    @Override
    public void finishEarly() {
        statement.finishEarly();
    }

    @Override
    public void close() {
        synchronized (this) {
            // The engine may answer the last pull after this; nothing may be put into the root then.
            closed = true;
            root.close();
        }
        statement.close();
    }
}
