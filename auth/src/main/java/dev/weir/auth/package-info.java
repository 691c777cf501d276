/**
 * Who asks. {@code user}: the users file and passwords; {@code token}: signed bearers and tickets; {@code tls}:
 * certificates; {@code web}: the security filter chain. This module alone sees Spring Security.
 *
 * <p>Must not import admission, engine or gateway.
 */
@NullMarked
package dev.weir.auth;

import org.jspecify.annotations.NullMarked;
