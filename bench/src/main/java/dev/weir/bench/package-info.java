/** Benchmarks of a gateway against what it stands in front of. Nothing depends on them. */
@NullMarked
package dev.weir.bench;

import org.jspecify.annotations.NullMarked;
