/** The protocol between a gateway and its workers. For {@code engine.remote} and {@code engine.worker} only. */
@NullMarked
package dev.weir.engine.wire;

import org.jspecify.annotations.NullMarked;
