package dev.weir.auth;

import java.util.List;

/**
 * An authenticated user.
 *
 * @param user name as in the users file
 * @param groups in the file's order
 * @param role what the user may do
 */
public record Identity(String user, List<String> groups, Role role) {

    public Identity {
        groups = List.copyOf(groups);
    }
}
