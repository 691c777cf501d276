package dev.weir.auth.token;

import java.time.Duration;

/**
 * Signs opaque payloads so that only this gateway's tickets, in the hands of their user and in time, are accepted.
 * Thread-safe.
 */
public interface TicketSigner {

    /**
     * @param user whose ticket it is
     * @param payload opaque; readable by the holder, not changeable
     * @param timeToLive from now
     * @return payload, user binding, expiry and an HMAC-SHA256 over them
     */
    byte[] sign(String user, byte[] payload, Duration timeToLive);

    /**
     * @return the payload
     * @throws TicketRefusedException when the ticket is malformed, tampered with, expired or another user's
     */
    byte[] verify(String user, byte[] ticket);
}
