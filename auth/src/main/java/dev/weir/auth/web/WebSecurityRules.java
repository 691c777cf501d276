package dev.weir.auth.web;

import java.util.List;

/**
 * Who may call what. Paths are patterns of {@link org.springframework.web.util.pattern.PathPattern}; whatever is in
 * neither list is for every authenticated user.
 *
 * @param anonymousPaths need no credentials, such as {@code /livez} and {@code /actuator/health/**}; any that are
 *     given are not looked at
 * @param adminPaths need the role admin; the first list goes before
 * @param clientCertificates whether a client certificate, verified by the TLS layer, stands for its common name where
 *     there is no Authorization header
 */
public record WebSecurityRules(List<String> anonymousPaths, List<String> adminPaths, boolean clientCertificates) {

    public WebSecurityRules {
        anonymousPaths = List.copyOf(anonymousPaths);
        adminPaths = List.copyOf(adminPaths);
    }
}
