package dev.weir.gateway.cli.query;

import dev.weir.gateway.http.ResultWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.Consumer;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;

/** The batches of a stream as the bytes of a format. Pulls no batch before the one before it was read. */
final class FlightResult extends InputStream {

    private final FlightStream stream;
    private final ResultWriter writer;
    private final Consumer<FlightRuntimeException> failed;
    private byte[] chunk = new byte[0];
    private int at;
    private boolean more;
    private boolean given;
    private boolean ended;

    /**
     * @param more whether the stream stands at a batch, or else at its end
     * @param failed told why the stream broke off
     */
    FlightResult(FlightStream stream, ResultWriter writer, boolean more, Consumer<FlightRuntimeException> failed) {
        this.stream = stream;
        this.writer = writer;
        this.more = more;
        this.failed = failed;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (at == chunk.length && !fill()) {
            return -1;
        }
        int count = Math.min(length, chunk.length - at);
        System.arraycopy(chunk, at, target, offset, count);
        at += count;
        return count;
    }

    private boolean fill() throws IOException {
        for (byte[] next = writer.next(); !ended || next != null; next = writer.next()) {
            if (next != null) {
                chunk = next;
                at = 0;
                return true;
            }
            step();
        }
        return false;
    }

    private void step() throws IOException {
        try {
            if (given) {
                given = false;
                more = stream.next();
            } else if (more) {
                given = true;
                writer.batch(stream.getRoot(), stream.getDictionaryProvider());
            } else {
                ended = true;
                writer.end();
            }
        } catch (FlightRuntimeException e) {
            failed.accept(e);
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws IOException {
        writer.close();
        try {
            if (!ended) {
                stream.cancel("closed before its end", null);
            }
            stream.close();
        } catch (FlightRuntimeException e) {
            // It was cancelled, or had failed before.
        } catch (Exception e) {
            throw new IOException(e);
        }
    }
}
