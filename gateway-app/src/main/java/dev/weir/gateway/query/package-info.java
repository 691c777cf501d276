/**
 * The life of a query, the same for every front: registered, admitted, run, streamed, ended once.
 *
 * <p>May import admission, the engine SPI and {@code auth.Identity}/{@code auth.Role}; no front, no Spring web, no gRPC.
 */
@NullMarked
package dev.weir.gateway.query;

import org.jspecify.annotations.NullMarked;
