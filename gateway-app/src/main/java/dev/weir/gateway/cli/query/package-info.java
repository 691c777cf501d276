/** The HTTP client behind {@code weir query}. */
@NullMarked
package dev.weir.gateway.cli.query;

import org.jspecify.annotations.NullMarked;
