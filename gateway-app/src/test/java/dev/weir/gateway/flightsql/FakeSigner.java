package dev.weir.gateway.flightsql;

import dev.weir.auth.token.TicketRefusedException;
import dev.weir.auth.token.TicketRefusedException.Reason;
import dev.weir.auth.token.TicketSigner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;

/** Signs with a checksum. */
final class FakeSigner implements TicketSigner {

    private final Clock clock;

    FakeSigner(Clock clock) {
        this.clock = clock;
    }

    @Override
    public byte[] sign(String user, byte[] payload, Duration timeToLive) {
        byte[] name = user.getBytes(StandardCharsets.UTF_8);
        byte[] body = ByteBuffer.allocate(12 + name.length + payload.length)
                .putLong(clock.instant().plus(timeToLive).toEpochMilli())
                .putInt(name.length)
                .put(name)
                .put(payload)
                .array();
        return ByteBuffer.allocate(body.length + 4)
                .put(body)
                .putInt(Arrays.hashCode(body))
                .array();
    }

    @Override
    public byte[] verify(String user, byte[] ticket) {
        if (ticket.length < 16) {
            throw new TicketRefusedException(Reason.MALFORMED, "This is not a ticket.");
        }
        byte[] body = Arrays.copyOf(ticket, ticket.length - 4);
        if (ByteBuffer.wrap(ticket).getInt(ticket.length - 4) != Arrays.hashCode(body)) {
            throw new TicketRefusedException(Reason.TAMPERED, "The ticket was changed.");
        }
        ByteBuffer in = ByteBuffer.wrap(body);
        long expiry = in.getLong();
        byte[] name = new byte[in.getInt()];
        in.get(name);
        if (!new String(name, StandardCharsets.UTF_8).equals(user)) {
            throw new TicketRefusedException(Reason.OTHER_USER, "The ticket is another user's.");
        }
        if (clock.millis() > expiry) {
            throw new TicketRefusedException(Reason.EXPIRED, "The ticket has expired.");
        }
        byte[] payload = new byte[in.remaining()];
        in.get(payload);
        return payload;
    }
}
