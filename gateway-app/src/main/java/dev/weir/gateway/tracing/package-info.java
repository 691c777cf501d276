/**
 * Spans of queries, made from what the query service tells its listener, and where they go.
 */
@NullMarked
package dev.weir.gateway.tracing;

import org.jspecify.annotations.NullMarked;
