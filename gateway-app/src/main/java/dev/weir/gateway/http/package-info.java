/**
 * The HTTP front.
 *
 * <p>May import query, auth, and the engine SPI's value types; never another front.
 */
@NullMarked
package dev.weir.gateway.http;

import org.jspecify.annotations.NullMarked;
