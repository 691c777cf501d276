/** Tables as text for a terminal. */
@NullMarked
package dev.weir.gateway.cli.table;

import org.jspecify.annotations.NullMarked;
