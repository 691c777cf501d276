/**
 * The engine SPI: what the gateway asks of an engine, in terms that no engine owns. An engine is a sub-package
 * ({@code duckdb}, {@code flightsql}), one configuration class in the gateway and a subclass of the contract kit.
 *
 * <p>May import Arrow vectors and the JDK. Must not import Spring, admission, auth, or a sub-package of its own.
 */
@NullMarked
package dev.weir.engine;

import org.jspecify.annotations.NullMarked;
