/** The users file: names, Argon2id hashes, roles, groups; read when it changes, written atomically. */
@NullMarked
package dev.weir.auth.user;

import org.jspecify.annotations.NullMarked;
