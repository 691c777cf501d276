package dev.weir.auth;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What {@link AuthModule} needs.
 *
 * @param dataDir holds the users file and the keys; made when it is missing
 * @param usersFile the users file, or null for {@code users.yaml} in the data directory
 * @param tokenKeyFile the key that signs bearers and tickets, which must exist, or null for {@code keys/token.key} in the
 *     data directory, which is made when it is missing
 * @param bearerTimeToLive how long an issued bearer is valid, at least one second
 * @param clock tells the time that tokens and tickets are valid by
 */
public record AuthSettings(
        Path dataDir, @Nullable Path usersFile, @Nullable Path tokenKeyFile, Duration bearerTimeToLive, Clock clock) {

    /** With the key of the data directory. */
    public AuthSettings(Path dataDir, @Nullable Path usersFile, Duration bearerTimeToLive, Clock clock) {
        this(dataDir, usersFile, null, bearerTimeToLive, clock);
    }

    /** The users file in force. */
    public Path effectiveUsersFile() {
        return usersFile == null ? dataDir.resolve("users.yaml") : usersFile;
    }
}
