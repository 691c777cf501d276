/** A process that runs queries for gateways: the server side of {@code engine.wire} over any engine. */
@NullMarked
package dev.weir.engine.worker;

import org.jspecify.annotations.NullMarked;
