package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.UnsafeByteOperations;
import com.google.protobuf.WireFormat;
import io.grpc.Detachable;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * One message of a DoPut. Its body stays in the transport's buffers until it is known where it goes, so that an upload is
 * copied once. Closed once, by whoever has it.
 */
final class PutMessage implements AutoCloseable {

    private final Flight.@Nullable FlightDescriptor descriptor;
    private final byte[] header;
    private final byte[] appMetadata;
    private final @Nullable InputStream body;
    private final int bodyLength;

    private PutMessage(
            Flight.@Nullable FlightDescriptor descriptor,
            byte[] header,
            byte[] appMetadata,
            @Nullable InputStream body,
            int bodyLength) {
        this.descriptor = descriptor;
        this.header = header;
        this.appMetadata = appMetadata;
        this.body = body;
        this.bodyLength = bodyLength;
    }

    Flight.@Nullable FlightDescriptor descriptor() {
        return descriptor;
    }

    /** Whether it has an Arrow message, or at least a body. */
    boolean hasData() {
        return header.length > 0 || bodyLength > 0;
    }

    /** The Arrow message's flatbuffer. */
    ByteBuffer header() {
        return ByteBuffer.wrap(header);
    }

    long bytes() {
        return (long) header.length + appMetadata.length + bodyLength;
    }

    /** The body, copied to where it stays; once. */
    ArrowBuf body(BufferAllocator allocator) {
        ArrowBuf copy = allocator.buffer(bodyLength);
        try {
            int count = 0;
            while (body != null && count < bodyLength) {
                int more = copy.setBytes(count, body, bodyLength - count);
                if (more <= 0) {
                    throw new EOFException();
                }
                count += more;
            }
            copy.writerIndex(bodyLength);
            ArrowBuf exact = copy.slice(0, bodyLength);
            return exact;
        } catch (IOException e) {
            copy.close();
            throw new UncheckedIOException(e);
        }
    }

    /** All of it on the heap, without its descriptor; once. */
    Flight.FlightData toFlightData() {
        Flight.FlightData.Builder data = Flight.FlightData.newBuilder()
                .setDataHeader(UnsafeByteOperations.unsafeWrap(header))
                .setAppMetadata(UnsafeByteOperations.unsafeWrap(appMetadata));
        if (body != null) {
            try {
                data.setDataBody(ByteString.readFrom(body));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return data.build();
    }

    @Override
    public void close() {
        if (body != null) {
            try {
                body.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Reads one message; its body is detached from the transport, not copied, where it comes last, as all clients do. */
    static PutMessage parse(InputStream in) throws IOException {
        Flight.FlightDescriptor descriptor = null;
        byte[] header = {};
        byte[] appMetadata = {};
        InputStream body = null;
        int bodyLength = 0;
        int first;
        while ((first = in.read()) != -1) {
            int tag = CodedInputStream.readRawVarint32(first, in);
            boolean bytes = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
            switch (bytes ? WireFormat.getTagFieldNumber(tag) : 0) {
                case Flight.FlightData.FLIGHT_DESCRIPTOR_FIELD_NUMBER ->
                    descriptor = Flight.FlightDescriptor.parseFrom(bytes(in));
                case Flight.FlightData.DATA_HEADER_FIELD_NUMBER -> header = bytes(in);
                case Flight.FlightData.APP_METADATA_FIELD_NUMBER -> appMetadata = bytes(in);
                case Flight.FlightData.DATA_BODY_FIELD_NUMBER -> {
                    bodyLength = length(in);
                    boolean last = bodyLength == in.available();
                    body = last && in instanceof Detachable detachable
                            ? detachable.detach()
                            : new ByteArrayInputStream(exactly(in, bodyLength));
                }
                default -> skip(tag, in);
            }
        }
        return new PutMessage(descriptor, header, appMetadata, body, bodyLength);
    }

    private static int length(InputStream in) throws IOException {
        int first = in.read();
        if (first == -1) {
            throw new EOFException();
        }
        int length = CodedInputStream.readRawVarint32(first, in);
        if (length < 0 || length > in.available()) {
            throw new EOFException();
        }
        return length;
    }

    private static byte[] bytes(InputStream in) throws IOException {
        return exactly(in, length(in));
    }

    private static byte[] exactly(InputStream in, int length) throws IOException {
        byte[] bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return bytes;
    }

    private static void skip(int tag, InputStream in) throws IOException {
        switch (WireFormat.getTagWireType(tag)) {
            case WireFormat.WIRETYPE_VARINT -> {
                int read;
                do {
                    read = in.read();
                } while (read >= 0x80);
            }
            case WireFormat.WIRETYPE_FIXED64 -> in.skipNBytes(8);
            case WireFormat.WIRETYPE_FIXED32 -> in.skipNBytes(4);
            case WireFormat.WIRETYPE_LENGTH_DELIMITED -> in.skipNBytes(length(in));
            default -> throw new IOException("Unknown wire type");
        }
    }
}
