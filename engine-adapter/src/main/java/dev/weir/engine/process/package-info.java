/** Engines in child processes of the gateway: a pool with one query a process, and one supervised child. */
@NullMarked
package dev.weir.engine.process;

import org.jspecify.annotations.NullMarked;
