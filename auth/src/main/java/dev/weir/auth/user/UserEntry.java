package dev.weir.auth.user;

import dev.weir.auth.Role;
import java.util.List;

/**
 * A user as listings show it.
 *
 * @param name 1 to 64 ASCII letters, digits and {@code . _ - @}; case sensitive
 * @param role what the user may do
 * @param groups in the file's order
 */
public record UserEntry(String name, Role role, List<String> groups) {

    public UserEntry {
        groups = List.copyOf(groups);
    }
}
