package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.IngestFeed;
import dev.weir.engine.IngestMessage;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Reads an upload batch by batch, and gives DuckDB as much of it as comes without a pause. Which thread reads changes;
 * one at a time.
 */
final class UploadReader implements AutoCloseable {

    private static final long STEP_MILLIS = 10;

    private final IngestFeed feed;
    private final Schema schema;
    private final BooleanSupplier ending;
    private final Map<Integer, UploadPart> parts = new HashMap<>();
    private UploadPart current;
    /** Whether the root has rows that were not given to DuckDB. */
    private boolean loaded;

    private long rows;
    private @Nullable EngineException failure;

    /** @param ending whether nobody wants the rows any more */
    UploadReader(IngestFeed feed, Schema given, BooleanSupplier ending) throws IOException {
        this.feed = feed;
        this.schema = UploadSchema.of(given);
        this.ending = ending;
        this.current = part(0);
    }

    private UploadPart part(int number) throws IOException {
        UploadPart known = parts.get(number);
        if (known == null) {
            known = new UploadPart(feed.allocator(), schema);
            parts.put(number, known);
        }
        return known;
    }

    /** Rows given to DuckDB. */
    synchronized long rows() {
        return rows;
    }

    /** Why the reading failed; DuckDB's own error only tells that it did. */
    synchronized @Nullable EngineException failure() {
        return failure;
    }

    synchronized boolean isAtEnd() {
        return !loaded && feed.isComplete();
    }

    /** Waits a while for rows; false when none came. */
    synchronized boolean await(long millis) {
        if (loaded) {
            return true;
        }
        try {
            long waited = 0;
            while (waited <= millis && !feed.isComplete()) {
                if (ending.getAsBoolean()) {
                    throw ErrorTranslator.cancelled();
                }
                IngestMessage message = feed.poll(STEP_MILLIS);
                if (message == null) {
                    waited += STEP_MILLIS;
                } else if (load(message)) {
                    return true;
                }
            }
            return false;
        } catch (EngineException e) {
            failure = e;
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = ErrorTranslator.cancelled();
            throw failure;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            failure = ErrorTranslator.translate(e, null);
            throw failure;
        }
    }

    private boolean load(IngestMessage message) throws IOException {
        try (message) {
            current = part(message.part());
            int count = current.load(message);
            if (count == 0) {
                return false;
            }
            loaded = true;
            rows += count;
            feed.read(message.part(), count);
            return true;
        }
    }

    /** Rows that come without a pause of this length, as one stream; without a pause at all, nothing but a schema. */
    ArrowReader stream(long pauseMillis) {
        return new Stream(pauseMillis);
    }

    @Override
    public synchronized void close() {
        for (UploadPart part : parts.values()) {
            try {
                part.close();
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }

    /** What DuckDB reads; the vectors are the upload's, and stay. */
    private final class Stream extends ArrowReader {

        private final long pauseMillis;
        private boolean ended;

        Stream(long pauseMillis) {
            super(feed.allocator());
            this.pauseMillis = pauseMillis;
            this.ended = pauseMillis == 0;
        }

        @Override
        public VectorSchemaRoot getVectorSchemaRoot() throws IOException {
            synchronized (UploadReader.this) {
                return current.getVectorSchemaRoot();
            }
        }

        @Override
        public Map<Long, Dictionary> getDictionaryVectors() throws IOException {
            synchronized (UploadReader.this) {
                return current.getDictionaryVectors();
            }
        }

        @Override
        public @Nullable Dictionary lookup(long id) {
            synchronized (UploadReader.this) {
                return current.lookup(id);
            }
        }

        @Override
        public boolean loadNextBatch() {
            synchronized (UploadReader.this) {
                ended = ended || !await(pauseMillis);
                loaded = false;
                return !ended;
            }
        }

        @Override
        public long bytesRead() {
            return 0;
        }

        @Override
        public void close() {
            ended = true;
        }

        @Override
        protected void closeReadSource() {
            // The upload's vectors are closed with it.
        }

        @Override
        protected Schema readSchema() {
            return schema;
        }
    }
}
