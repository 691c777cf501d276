/**
 * The Flight SQL front.
 *
 * <p>May import query, auth, and the engine SPI's value types; never another front.
 */
@NullMarked
package dev.weir.gateway.flightsql;

import org.jspecify.annotations.NullMarked;
