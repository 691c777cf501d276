/** An engine that runs elsewhere: the client side of {@code engine.wire}, for one worker. */
@NullMarked
package dev.weir.engine.remote;

import org.jspecify.annotations.NullMarked;
