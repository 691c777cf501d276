package dev.weir.engine.wire;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineMemory;
import org.jspecify.annotations.Nullable;

/** What a worker answers. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "is")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Reply.Opened.class, name = "opened"),
    @JsonSubTypes.Type(value = Reply.Batch.class, name = "batch"),
    @JsonSubTypes.Type(value = Reply.Taken.class, name = "taken"),
    @JsonSubTypes.Type(value = Reply.End.class, name = "end"),
    @JsonSubTypes.Type(value = Reply.Failed.class, name = "failed"),
    @JsonSubTypes.Type(value = Reply.Described.class, name = "described"),
    @JsonSubTypes.Type(value = Reply.Checked.class, name = "checked"),
    @JsonSubTypes.Type(value = Reply.Memory.class, name = "memory"),
    @JsonSubTypes.Type(value = Reply.Report.class, name = "report")
})
public sealed interface Reply {

    /**
     * The result exists; the frame has its schema.
     *
     * @param updateCount rows changed, null for a statement that changes none
     */
    record Opened(@Nullable Long updateCount) implements Reply {}

    /**
     * A batch; the frame has its message.
     *
     * @param seq number of the batch, from 0
     */
    record Batch(long seq, long rows) implements Reply {}

    /**
     * The engine reads an upload. The first of these lets the upload begin.
     *
     * @param bytes of messages that it took since the last of these
     * @param part whose rows it read
     * @param rows that it read of that part so far; 0 when this tells of bytes
     */
    record Taken(long bytes, int part, long rows) implements Reply {}

    /**
     * The end of the result.
     *
     * @param batches how many there were
     * @param peakMemoryBytes null where it is not measured
     */
    record End(long batches, @Nullable Long peakMemoryBytes) implements Reply {}

    /**
     * The failure of whatever was asked.
     *
     * @param failure name of an {@link EngineFailure}
     */
    record Failed(String failure, String message, @Nullable String sqlState, int position) implements Reply {

        /** Of an engine's failure; the cause stays where it is. */
        public static Failed of(EngineException failure) {
            return new Failed(
                    failure.failure().name(),
                    String.valueOf(failure.getMessage()),
                    failure.sqlState(),
                    failure.position());
        }

        /** The failure, of kind INTERNAL where this side does not know the kind. */
        public EngineException toException() {
            EngineFailure kind = EngineFailure.INTERNAL;
            for (EngineFailure known : EngineFailure.values()) {
                if (known.name().equals(failure)) {
                    kind = known;
                }
            }
            return new EngineException(kind, message, sqlState, position, null);
        }
    }

    /**
     * What a statement would take and give; the frame has the schema of its result.
     *
     * @param parameters their schema, encoded
     */
    @SuppressWarnings("ArrayRecordComponent") // Read once, never compared.
    record Described(byte[] parameters) implements Reply {}

    /** The engine answers. */
    record Checked() implements Reply {}

    /** What the engine holds. */
    record Memory(EngineMemory held) implements Reply {}

    /** What the worker says of itself. */
    record Report(
            String name,
            EngineInfo engine,
            String instance,
            int slots,
            int running,
            long memoryBytes,
            long reservedBytes,
            String limit,
            boolean draining)
            implements Reply {}
}
