package dev.weir.gateway.config;

import dev.weir.auth.Role;
import dev.weir.auth.user.Passwords;
import dev.weir.auth.user.UserEntry;
import dev.weir.auth.user.UserStore;
import dev.weir.auth.user.UsersFileException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the user {@code admin} when there is no user at all. */
final class FirstAdmin {

    private static final Logger log = LoggerFactory.getLogger(FirstAdmin.class);

    static final String NAME = "admin";

    private final UserStore users;
    private final @Nullable String given;

    /** @param given the password, or null to have one made */
    FirstAdmin(UserStore users, @Nullable String given) {
        this.users = users;
        this.given = given;
    }

    /** Whom to connect as in an example: admin, or else an administrator, or else anyone there is. */
    String example() {
        List<UserEntry> all = users.list();
        return all.stream()
                .map(UserEntry::name)
                .filter(NAME::equals)
                .findFirst()
                .or(() -> all.stream()
                        .filter(user -> user.role() == Role.ADMIN)
                        .findFirst()
                        .or(() -> all.stream().findFirst())
                        .map(UserEntry::name))
                .orElse(NAME);
    }

    /** The password that was made up, to be shown once; empty when it was given or users exist already. */
    Optional<String> create() {
        try {
            if (given != null && !given.isEmpty()) {
                if (!users.createAdminIfEmpty(given) && !users.list().isEmpty()) {
                    log.info("There are users already: WEIR_ADMIN_PASSWORD is not used");
                }
                return Optional.empty();
            }
            String password = Passwords.random();
            return users.createAdminIfEmpty(password) ? Optional.of(password) : Optional.empty();
        } catch (UsersFileException | IllegalArgumentException e) {
            throw new StartFailedException((given == null ? "" : "WEIR_ADMIN_PASSWORD: ") + e.getMessage(), e);
        }
    }
}
