package dev.weir.auth.token;

import dev.weir.auth.token.TicketRefusedException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Tickets in a compact form: version (1 byte), expiry (milliseconds since the epoch, 8 bytes), the first 16 bytes of
 * the user's SHA-256, payload, HMAC-SHA256 (32 bytes) over all before it. Immutable.
 */
public final class HmacTicketSigner implements TicketSigner {

    /** Largest payload: a statement of the largest size, its parameters and session. */
    public static final int MAX_PAYLOAD_BYTES = 4 << 20;

    /** Longest life of a ticket. */
    public static final Duration MAX_TIME_TO_LIVE = Duration.ofDays(30);

    private static final byte VERSION = 1;
    private static final int USER_BYTES = 16;
    private static final int USER_OFFSET = 1 + Long.BYTES;
    private static final int HEADER_BYTES = USER_OFFSET + USER_BYTES;
    private static final int MAC_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;
    private final Clock clock;

    /** Signs under a key of its own that is derived from the gateway's. */
    public HmacTicketSigner(SigningKey key, Clock clock) {
        this.key = new SecretKeySpec(key.derive("weir ticket 1"), ALGORITHM);
        this.clock = clock;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException when the payload is over 4 MiB, or the time to live is not positive or over 30
     *     days
     */
    @Override
    public byte[] sign(String user, byte[] payload, Duration timeToLive) {
        if (payload.length > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("a ticket's payload may have up to " + MAX_PAYLOAD_BYTES + " bytes");
        }
        if (timeToLive.isNegative() || timeToLive.isZero() || timeToLive.compareTo(MAX_TIME_TO_LIVE) > 0) {
            throw new IllegalArgumentException("a ticket may live for up to " + MAX_TIME_TO_LIVE);
        }
        byte[] ticket = new byte[HEADER_BYTES + payload.length + MAC_BYTES];
        ByteBuffer.wrap(ticket)
                .put(VERSION)
                .putLong(clock.millis() + timeToLive.toMillis())
                .put(userTag(user))
                .put(payload)
                .put(mac(ticket, HEADER_BYTES + payload.length));
        return ticket;
    }

    @Override
    public byte[] verify(String user, byte[] ticket) {
        int signed = ticket.length - MAC_BYTES;
        if (signed < HEADER_BYTES || signed > HEADER_BYTES + MAX_PAYLOAD_BYTES || ticket[0] != VERSION) {
            throw new TicketRefusedException(Reason.MALFORMED, "This is no ticket of this gateway.");
        }
        byte[] shown = Arrays.copyOfRange(ticket, signed, ticket.length);
        if (!MessageDigest.isEqual(mac(ticket, signed), shown)) {
            throw new TicketRefusedException(
                    Reason.TAMPERED, "The ticket's signature is wrong: it was changed, or issued by another gateway.");
        }
        byte[] tag = Arrays.copyOfRange(ticket, USER_OFFSET, HEADER_BYTES);
        if (!MessageDigest.isEqual(userTag(user), tag)) {
            throw new TicketRefusedException(Reason.OTHER_USER, "The ticket was issued to another user.");
        }
        if (clock.millis() >= ByteBuffer.wrap(ticket).getLong(1)) {
            throw new TicketRefusedException(Reason.EXPIRED, "The ticket has expired; ask for a new one.");
        }
        return Arrays.copyOfRange(ticket, HEADER_BYTES, signed);
    }

    private byte[] mac(byte[] bytes, int length) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(bytes, 0, length);
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has HmacSHA256", e);
        }
    }

    private static byte[] userTag(String user) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return Arrays.copyOf(digest.digest(user.getBytes(StandardCharsets.UTF_8)), USER_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
