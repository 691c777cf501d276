package dev.weir.gateway.flightsql;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * The ticket of one partition. The result is known to the process that issued it alone: elsewhere the query would run
 * again and give rows twice.
 *
 * @param resultId the partitioned result
 * @param number of the partition, from 0
 */
record PartitionHandle(String resultId, int number) {

    /** Tells it from the other payloads, see {@link PollHandle}. */
    private static final byte PARTITION = 'e';

    static boolean is(byte[] payload) {
        return payload.length > 0 && payload[0] == PARTITION;
    }

    byte[] encode() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeByte(PARTITION);
            out.writeUTF(resultId);
            out.writeInt(number);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** @param payload for which {@link #is} holds */
    static PartitionHandle decode(byte[] payload) {
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(payload))) {
            in.readByte();
            return new PartitionHandle(in.readUTF(), in.readInt());
        } catch (IOException e) {
            throw FlightErrors.invalidRequest("The ticket was issued by another version; ask for a new one.");
        }
    }
}
