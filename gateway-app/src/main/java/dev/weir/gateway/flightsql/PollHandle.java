package dev.weir.gateway.flightsql;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What a client holds of a query that it polls: a descriptor to poll with, or the ticket that attaches to its result.
 * The query itself is known to the process that took it alone.
 *
 * @param isTicket the ticket; else a descriptor
 * @param queryId the query
 * @param seen what the holder of a descriptor was told last; empty in a ticket
 */
record PollHandle(boolean isTicket, String queryId, String seen) {

    /** The first byte tells them from {@link StatementTicket}, whose first byte is the number of its format. */
    private static final byte DESCRIPTOR = 'p';

    private static final byte TICKET = 't';

    static PollHandle descriptor(String queryId, String seen) {
        return new PollHandle(false, queryId, seen);
    }

    static PollHandle ticket(String queryId) {
        return new PollHandle(true, queryId, "");
    }

    /** Whether a payload whose signature was checked is one of these. */
    static boolean is(byte[] payload) {
        return payload.length > 0 && (payload[0] == DESCRIPTOR || payload[0] == TICKET);
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(isTicket ? TICKET : DESCRIPTOR);
            out.writeUTF(queryId);
            out.writeUTF(seen);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /**
     * @param payload for which {@link #is} holds
     */
    static PollHandle decode(byte[] payload) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload))) {
            return new PollHandle(in.readByte() == TICKET, in.readUTF(), in.readUTF());
        } catch (IOException e) {
            throw FlightErrors.invalidRequest("The handle was issued by another version; submit the query again.");
        }
    }
}
