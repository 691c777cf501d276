/** The WebFlux security filter chain: Basic and Bearer, no sessions, no CSRF tokens (the API has no cookies). */
@NullMarked
package dev.weir.auth.web;

import org.jspecify.annotations.NullMarked;
