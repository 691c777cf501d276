package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BiPredicate;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A catalog answer in exactly the specification's columns (names, order, nullability), with only the rows asked for. The
 * rows are copied: they are few.
 */
final class MetadataStream implements ResultStream {

    private final ResultStream answer;
    private final BiPredicate<VectorSchemaRoot, Integer> wanted;
    private final VectorSchemaRoot root;
    private boolean closed;

    MetadataStream(
            ResultStream answer,
            Schema schema,
            BiPredicate<VectorSchemaRoot, Integer> wanted,
            BufferAllocator allocator) {
        this.answer = answer;
        this.wanted = wanted;
        this.root = VectorSchemaRoot.create(schema, allocator);
    }

    @Override
    public Schema schema() {
        return root.getSchema();
    }

    @Override
    public VectorSchemaRoot root() {
        return root;
    }

    @Override
    public DictionaryProvider dictionaries() {
        return answer.dictionaries();
    }

    @Override
    public OptionalLong updateCount() {
        return OptionalLong.empty();
    }

    @Override
    public CompletionStage<Boolean> next() {
        return answer.next().thenApply(this::loaded);
    }

    private synchronized boolean loaded(boolean more) {
        if (closed) {
            return false;
        }
        root.clear();
        if (more) {
            copy(answer.root());
        }
        return more;
    }

    private void copy(VectorSchemaRoot source) {
        root.allocateNew();
        int rows = 0;
        for (int row = 0; row < source.getRowCount(); row++) {
            if (wanted.test(source, row)) {
                for (Field field : root.getSchema().getFields()) {
                    FieldVector from = source.getVector(field.getName());
                    if (from != null) {
                        root.getVector(field.getName()).copyFromSafe(row, rows, from);
                    }
                }
                rows++;
            }
        }
        root.setRowCount(rows);
    }

    @Override
    public CompletionStage<GatewayException> aborted() {
        return answer.aborted();
    }

    @Override
    public void delivered(long bytes) {
        answer.delivered(bytes);
    }

    @Override
    public void finishEarly() {
        answer.finishEarly();
    }

    @Override
    public void close() {
        synchronized (this) {
            // The engine may answer the last pull after this; nothing may be copied then.
            closed = true;
            root.close();
        }
        answer.close();
    }
}
