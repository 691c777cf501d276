/**
 * The command line: {@code bin/weir serve | query | user | tpch | simulate}. May import everything; nothing imports it.
 *
 * <p>Only {@code serve} starts Spring; the other commands are small programs that must start fast.
 */
@NullMarked
package dev.weir.gateway.cli;

import org.jspecify.annotations.NullMarked;
