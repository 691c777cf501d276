/**
 * The policy simulator: traces, a virtual clock, the gateway's own admission and the baselines beside it, and figures.
 * Single-threaded; nothing here reads the wall clock.
 */
@NullMarked
package dev.weir.gateway.cli.simulate;

import org.jspecify.annotations.NullMarked;
