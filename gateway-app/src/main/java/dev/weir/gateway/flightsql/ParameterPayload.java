package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;

/**
 * Parameters as the client sent them: Arrow messages, the schema first. Kept undecoded, so that their size is known and
 * a ticket can carry them.
 */
record ParameterPayload(List<Flight.FlightData> messages) {

    static final ParameterPayload NONE = new ParameterPayload(List.of());

    ParameterPayload {
        messages = List.copyOf(messages);
    }

    boolean isEmpty() {
        return messages.isEmpty();
    }

    /** Bytes of headers and bodies. */
    static long sizeOf(Flight.FlightData message) {
        return (long) message.getDataHeader().size() + message.getDataBody().size();
    }

    long size() {
        return messages.stream().mapToLong(ParameterPayload::sizeOf).sum();
    }

    ByteString toBytes() {
        ByteString.Output bytes = ByteString.newOutput();
        try {
            for (Flight.FlightData message : messages) {
                message.writeDelimitedTo(bytes);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteString();
    }

    /** The reverse of {@link #toBytes()}. */
    static ParameterPayload of(ByteString bytes) throws IOException {
        if (bytes.isEmpty()) {
            return NONE;
        }
        List<Flight.FlightData> messages = new ArrayList<>();
        InputStream in = bytes.newInput();
        for (Flight.FlightData message = Flight.FlightData.parseDelimitedFrom(in);
                message != null;
                message = Flight.FlightData.parseDelimitedFrom(in)) {
            messages.add(message);
        }
        return new ParameterPayload(messages);
    }
}
