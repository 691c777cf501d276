/**
 * The command line: {@code bin/weir serve | query | user | tpch}. May import everything.
 */
@NullMarked
package dev.weir.gateway.cli;

import org.jspecify.annotations.NullMarked;
