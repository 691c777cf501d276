package dev.weir.auth.user;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How well the users in force agree with the users file, for health.
 *
 * @param users number of users in force
 * @param loadedAt when they were read
 * @param problem why the file as it is now could not be read, or null when the users in force are the file's
 */
public record UsersFileStatus(
        int users, Instant loadedAt, @Nullable String problem) {}
