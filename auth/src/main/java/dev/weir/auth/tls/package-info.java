/** Key material for TLS: PEM files, or a self-signed certificate made at the first start; read again when it changes. */
@NullMarked
package dev.weir.auth.tls;

import org.jspecify.annotations.NullMarked;
