package dev.weir.engine.wire;

import dev.weir.engine.IngestMessage;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * One message, in the fields of Flight's {@code FlightData}. The body is a stream: of one received it holds the
 * transport's buffers until it is closed; whoever has the frame closes it or takes the body over. Not thread-safe.
 */
public final class Frame {

    private final byte @Nullable [] command;
    private final byte @Nullable [] header;
    private final byte @Nullable [] control;
    private final long bodyLength;
    private @Nullable InputStream body;

    Frame(
            byte @Nullable [] command,
            byte @Nullable [] header,
            byte @Nullable [] control,
            long bodyLength,
            @Nullable InputStream body) {
        this.command = command;
        this.header = header;
        this.control = control;
        this.bodyLength = bodyLength;
        this.body = body;
    }

    /** The first message of a gateway. */
    public static Frame of(Command command) {
        return new Frame(Json.write(new Command.Envelope(Wire.PROTOCOL, Json.tree(command))), null, null, 0, null);
    }

    /** The first message of a gateway, with the schema message of what it will upload. */
    public static Frame of(Command command, byte[] header) {
        byte[] json = of(command).command();
        return new Frame(json, header, null, 0, null);
    }

    /** A message of an upload; its body is read while the frame is sent. */
    public static Frame of(Control control, IngestMessage message) {
        byte[] header = new byte[message.metadata().remaining()];
        message.metadata().get(header);
        ArrowBody body = new ArrowBody(message.body());
        return new Frame(null, header, Json.write(control), body.available(), body);
    }

    /** A later message of a gateway. */
    public static Frame of(Control control) {
        return new Frame(null, null, Json.write(control), 0, null);
    }

    /** A message of a worker without Arrow data. */
    public static Frame of(Reply reply) {
        return new Frame(null, null, Json.write(reply), 0, null);
    }

    /** A message of a worker with an Arrow IPC message that has no body. */
    public static Frame of(Reply reply, byte[] header) {
        return new Frame(null, header, Json.write(reply), 0, null);
    }

    /** A message of a worker with an Arrow IPC message; the body is read once, while the frame is sent. */
    public static Frame of(Reply reply, byte[] header, long bodyLength, InputStream body) {
        return new Frame(null, header, Json.write(reply), bodyLength, body);
    }

    /** The command, in JSON; null in all but the first message. */
    public byte @Nullable [] command() {
        return command;
    }

    /** An Arrow IPC message's flatbuffer. */
    public byte @Nullable [] header() {
        return header;
    }

    /** The control message, in JSON. */
    public byte @Nullable [] control() {
        return control;
    }

    /** Length of the body in bytes; 0 for none. */
    public long bodyLength() {
        return bodyLength;
    }

    /** The body, from now on the caller's to close; an empty stream when there is none or it was taken. */
    public InputStream takeBody() {
        InputStream taken = body;
        body = null;
        return taken == null ? InputStream.nullInputStream() : taken;
    }

    /** Gives the body's buffers back unless it was taken. */
    public void close() {
        closeQuietly(takeBody());
    }

    static void closeQuietly(InputStream stream) {
        try {
            stream.close();
        } catch (IOException e) {
            throw new IllegalStateException("Buffers cannot be given back", e);
        }
    }
}
