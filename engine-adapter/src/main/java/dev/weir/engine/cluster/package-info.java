/** Several workers as one engine: health, choice, retry. */
@NullMarked
package dev.weir.engine.cluster;

import org.jspecify.annotations.NullMarked;
