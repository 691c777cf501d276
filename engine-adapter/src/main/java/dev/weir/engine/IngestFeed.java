package dev.weir.engine;

import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * The rows of an ingest as they arrive. One engine call reads it, from one thread at a time; the owner of the feed fills
 * and closes it, and gives the messages back that were not read.
 */
public interface IngestFeed {

    /** Holds the messages' bodies; what an engine makes of them must come from here, and be given back. */
    BufferAllocator allocator();

    /**
     * Takes the next message, waiting for it up to a time.
     *
     * @return null when none came in that time, or none is left
     * @throws EngineException when the upload failed: it was broken off, or did not come in time
     */
    @Nullable
    IngestMessage poll(long millis) throws InterruptedException;

    /** Whether the upload is whole and every message was taken. */
    boolean isComplete();

    /** Tells that so many more rows of a part were read, for the figures of the query. */
    void read(int part, long rows);
}
