package dev.weir.engine.wire;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.WireFormat;
import io.grpc.Detachable;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads {@link Frame} as {@code FlightData}. The body is never gathered: it is drained from where it lies to
 * the transport, and of a received message it stays in the transport's buffers.
 */
final class FrameMarshaller implements MethodDescriptor.Marshaller<Frame> {

    private static final int DESCRIPTOR = 1;
    private static final int HEADER = 2;
    private static final int CONTROL = 3;
    private static final int BODY = 1000;
    /** In FlightDescriptor. */
    private static final int TYPE = 1;

    private static final int TYPE_COMMAND = 2;
    private static final int COMMAND = 2;

    @Override
    public InputStream stream(Frame frame) {
        return new FrameStream(prefix(frame), frame.takeBody(), frame.bodyLength());
    }

    /** Everything before the bytes of the body. */
    private static byte[] prefix(Frame frame) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(512);
        CodedOutputStream out = CodedOutputStream.newInstance(bytes);
        try {
            byte[] command = frame.command();
            if (command != null) {
                out.writeTag(DESCRIPTOR, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                out.writeUInt32NoTag(CodedOutputStream.computeEnumSize(TYPE, TYPE_COMMAND)
                        + CodedOutputStream.computeByteArraySize(COMMAND, command));
                out.writeEnum(TYPE, TYPE_COMMAND);
                out.writeByteArray(COMMAND, command);
            }
            byte[] header = frame.header();
            if (header != null) {
                out.writeByteArray(HEADER, header);
            }
            byte[] control = frame.control();
            if (control != null) {
                out.writeByteArray(CONTROL, control);
            }
            if (frame.bodyLength() > 0) {
                out.writeTag(BODY, WireFormat.WIRETYPE_LENGTH_DELIMITED);
                out.writeUInt64NoTag(frame.bodyLength());
            }
            out.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    @Override
    public Frame parse(InputStream in) {
        Parser parser = new Parser(in);
        try {
            return parser.parse();
        } catch (IOException e) {
            parser.release();
            throw Status.INTERNAL
                    .withDescription("Malformed message")
                    .withCause(e)
                    .asRuntimeException();
        }
    }

    /** Reads one message. */
    private static final class Parser {

        private final InputStream in;
        private byte @Nullable [] command;
        private byte @Nullable [] header;
        private byte @Nullable [] control;
        private long bodyLength;
        private @Nullable InputStream body;

        Parser(InputStream in) {
            this.in = in;
        }

        Frame parse() throws IOException {
            int first;
            while ((first = in.read()) != -1) {
                int tag = CodedInputStream.readRawVarint32(first, in);
                boolean bytes = WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED;
                switch (bytes ? WireFormat.getTagFieldNumber(tag) : 0) {
                    case DESCRIPTOR -> command = commandOf(bytes());
                    case HEADER -> header = bytes();
                    case CONTROL -> control = bytes();
                    case BODY -> body();
                    default -> skip(tag);
                }
            }
            return new Frame(command, header, control, bodyLength, body);
        }

        private static byte @Nullable [] commandOf(byte[] descriptor) throws IOException {
            CodedInputStream fields = CodedInputStream.newInstance(descriptor);
            byte[] found = null;
            int tag;
            while ((tag = fields.readTag()) != 0) {
                if (tag == ((COMMAND << 3) | WireFormat.WIRETYPE_LENGTH_DELIMITED)) {
                    found = fields.readByteArray();
                } else if (!fields.skipField(tag)) {
                    throw new IOException("Unexpected end of a group");
                }
            }
            return found;
        }

        private int length() throws IOException {
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

        private byte[] bytes() throws IOException {
            int length = length();
            byte[] bytes = in.readNBytes(length);
            if (bytes.length < length) {
                throw new EOFException();
            }
            return bytes;
        }

        private void body() throws IOException {
            release();
            int length = length();
            if (length == in.available() && in instanceof Detachable detachable) {
                body = detachable.detach();
            } else {
                byte[] bytes = in.readNBytes(length);
                body = new ByteArrayInputStream(bytes);
            }
            bodyLength = length;
        }

        private void skip(int tag) throws IOException {
            switch (WireFormat.getTagWireType(tag)) {
                case WireFormat.WIRETYPE_VARINT -> {
                    int read;
                    do {
                        read = in.read();
                    } while (read >= 0x80);
                }
                case WireFormat.WIRETYPE_FIXED64 -> in.skipNBytes(8);
                case WireFormat.WIRETYPE_FIXED32 -> in.skipNBytes(4);
                case WireFormat.WIRETYPE_LENGTH_DELIMITED -> in.skipNBytes(length());
                default -> throw new IOException("Unknown wire type");
            }
        }

        void release() {
            if (body != null) {
                Frame.closeQuietly(body);
                body = null;
            }
        }
    }
}
