package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.ResultStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;

/** The number of a batch, as decimal digits in its message's application metadata, where the client asked for it. */
final class BatchNumbers {

    private BatchNumbers() {}

    /** Of the batch that was pulled last; empty when batches are not numbered. */
    static ByteString of(ResultStream result) {
        OptionalLong number = result.batchNumber();
        return number.isPresent() ? ByteString.copyFromUtf8(Long.toString(number.getAsLong())) : ByteString.EMPTY;
    }

    /** Sends the root, with its number. */
    static void put(ResultStream result, ServerStreamListener listener, BufferAllocator allocator) {
        OptionalLong number = result.batchNumber();
        if (number.isEmpty()) {
            listener.putNext();
            return;
        }
        byte[] digits = Long.toString(number.getAsLong()).getBytes(StandardCharsets.US_ASCII);
        // The listener takes it over.
        ArrowBuf note = allocator.buffer(digits.length);
        note.writeBytes(digits);
        listener.putNext(note);
    }
}
