/**
 * TPC-H data in a DuckDB file, for demonstrations, tests and benchmarks. Used by the command line alone; imports nothing
 * of the gateway.
 */
@NullMarked
package dev.weir.gateway.cli.tpch;

import org.jspecify.annotations.NullMarked;
