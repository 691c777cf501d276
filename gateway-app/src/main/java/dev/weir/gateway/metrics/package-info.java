/**
 * Prometheus meters, fed by the listener interfaces of admission and query.
 */
@NullMarked
package dev.weir.gateway.metrics;

import org.jspecify.annotations.NullMarked;
