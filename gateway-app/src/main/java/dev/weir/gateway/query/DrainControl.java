package dev.weir.gateway.query;

import dev.weir.auth.Identity;

/**
 * Takes the gateway out of service while it runs, and back. Thread-safe; no method blocks.
 *
 * <p>While it drains it is not ready, new queries and those that wait are refused with DRAINING, and what runs goes on
 * for the grace and is cancelled then. Status, cancels and results of queries are answered as ever.
 */
public interface DrainControl {

    /**
     * How it stands.
     *
     * @throws GatewayException FORBIDDEN unless the identity is an admin
     */
    DrainReport report(Identity identity);

    /**
     * Begins a drain; without effect when there is one.
     *
     * @throws GatewayException FORBIDDEN unless the identity is an admin
     */
    DrainReport drain(Identity identity);

    /**
     * Ends a drain; without effect when there is none. Refused queries stay refused.
     *
     * @throws GatewayException FORBIDDEN unless the identity is an admin; CONFLICT when the gateway is stopping
     */
    DrainReport resume(Identity identity);
}
