package dev.weir.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.vector.FieldVector;

/** Reads results in tests, with a bound on every wait. */
public final class Rows {

    /** The bound: long enough for a busy machine. */
    public static final int WAIT_SECONDS = 60;

    private Rows() {}

    /** Waits for a stage; throws what it failed with. */
    public static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().get(WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("Nothing came within " + WAIT_SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Reads a result to its end and closes it. */
    public static List<List<Object>> drain(ArrowResult result) {
        List<List<Object>> rows = new ArrayList<>();
        try (result) {
            while (await(result.next())) {
                for (int row = 0; row < result.root().getRowCount(); row++) {
                    List<Object> values = new ArrayList<>();
                    for (FieldVector vector : result.root().getFieldVectors()) {
                        Object value = vector.getObject(row);
                        values.add(value instanceof org.apache.arrow.vector.util.Text ? value.toString() : value);
                    }
                    rows.add(values);
                }
            }
        }
        await(result.stopped());
        return rows;
    }

    /** Runs a query to its end. */
    public static List<List<Object>> of(QueryEngine engine, EngineQuery query) {
        return drain(await(engine.execute(query).result()));
    }

    /** Counts the rows of a result without keeping them. */
    public static long count(ArrowResult result) {
        long rows = 0;
        try (result) {
            while (await(result.next())) {
                rows += result.root().getRowCount();
            }
        }
        await(result.stopped());
        return rows;
    }
}
