/** Signed bearers and tickets. The key lies in the data directory; replicas share it. */
@NullMarked
package dev.weir.auth.token;

import org.jspecify.annotations.NullMarked;
