package dev.weir.gateway.config;

import dev.weir.auth.user.Passwords;
import dev.weir.auth.user.UserStore;
import dev.weir.auth.user.UsersFileException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes the user {@code admin} when there is no user at all. */
final class FirstAdmin {

    static final String NAME = "admin";

    private final UserStore users;
    private final @Nullable String given;

    /** @param given the password, or null to have one made */
    FirstAdmin(UserStore users, @Nullable String given) {
        this.users = users;
        this.given = given;
    }

    /** The password that was made up, to be shown once; empty when it was given or users exist already. */
    Optional<String> create() {
        try {
            if (given != null && !given.isEmpty()) {
                users.createAdminIfEmpty(given);
                return Optional.empty();
            }
            String password = Passwords.random();
            return users.createAdminIfEmpty(password) ? Optional.of(password) : Optional.empty();
        } catch (UsersFileException | IllegalArgumentException e) {
            throw new StartFailedException((given == null ? "" : "WEIR_ADMIN_PASSWORD: ") + e.getMessage(), e);
        }
    }
}
