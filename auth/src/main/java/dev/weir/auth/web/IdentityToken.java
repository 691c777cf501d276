package dev.weir.auth.web;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

/** An authenticated request: the principal is the {@link Identity}, the authorities its role and those it includes. */
@SuppressWarnings("serial") // never written anywhere
final class IdentityToken extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1L;

    private static final Map<Role, List<GrantedAuthority>> AUTHORITIES = new EnumMap<>(Role.class);

    static {
        for (Role role : Role.values()) {
            AUTHORITIES.put(
                    role,
                    Arrays.stream(Role.values())
                            .filter(role::includes)
                            .map(included -> (GrantedAuthority) new SimpleGrantedAuthority(authority(included)))
                            .toList());
        }
    }

    private final transient Identity identity;

    IdentityToken(Identity identity) {
        super(AUTHORITIES.get(identity.role()));
        this.identity = identity;
        super.setAuthenticated(true);
    }

    static String authority(Role role) {
        return "ROLE_" + role.name();
    }

    @Override
    public String getCredentials() {
        return "";
    }

    @Override
    public Identity getPrincipal() {
        return identity;
    }

    @Override
    public String getName() {
        return identity.user();
    }
}
