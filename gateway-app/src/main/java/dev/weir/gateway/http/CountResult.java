package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.ResultStream;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The result of a statement that gives no rows, as one row with the one column {@code Count}. */
final class CountResult implements ResultStream {

    private static final Schema SCHEMA =
            new Schema(List.of(new Field("Count", FieldType.notNullable(new ArrowType.Int(64, true)), null)));

    private final ResultStream statement;
    private final VectorSchemaRoot root;
    private boolean ended;

    CountResult(ResultStream statement, BufferAllocator allocator) {
        this.statement = statement;
        this.root = VectorSchemaRoot.create(SCHEMA, allocator);
    }

    /** The count, when a result is nothing else: it has no columns, or just a column of that name. */
    static OptionalLong of(ResultStream result) {
        if (result.schema().getFields().isEmpty()) {
            return OptionalLong.of(result.updateCount().orElse(0));
        }
        return result.schema().getFields().equals(SCHEMA.getFields()) ? result.updateCount() : OptionalLong.empty();
    }

    @Override
    public Schema schema() {
        return SCHEMA;
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
        return OptionalLong.of(statement.updateCount().orElse(0));
    }

    @Override
    public CompletionStage<Boolean> next() {
        if (ended) {
            return CompletableFuture.completedFuture(false);
        }
        return statement.next().thenCompose(more -> more ? next() : CompletableFuture.completedFuture(count()));
    }

    private boolean count() {
        ended = true;
        BigIntVector count = (BigIntVector) root.getVector(0);
        count.allocateNew(1);
        count.set(0, statement.updateCount().orElse(0));
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
        root.close();
        statement.close();
    }
}
