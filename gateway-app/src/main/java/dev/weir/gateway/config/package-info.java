/**
 * Configuration: properties, their checks, and the beans that put the gateway together. May import everything.
 */
@NullMarked
package dev.weir.gateway.config;

import org.jspecify.annotations.NullMarked;
