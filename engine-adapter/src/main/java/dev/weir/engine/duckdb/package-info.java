/**
 * DuckDB in the gateway's own process, through its JDBC driver. Only the gateway's configuration may import this
 * package.
 */
@NullMarked
package dev.weir.engine.duckdb;

import org.jspecify.annotations.NullMarked;
