/** The gateway application. Sub-packages say what they hold and what they may import. */
@NullMarked
package dev.weir.gateway;

import org.jspecify.annotations.NullMarked;
