package dev.weir.auth.web;

import dev.weir.auth.Credentials;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;

/** Credentials that are still to be checked. */
@SuppressWarnings("serial") // never written anywhere
final class CredentialsToken extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1L;

    private final transient Credentials credentials;

    CredentialsToken(Credentials credentials) {
        super(AuthorityUtils.NO_AUTHORITIES);
        this.credentials = credentials;
    }

    @Override
    public Credentials getCredentials() {
        return credentials;
    }

    @Override
    public String getPrincipal() {
        return "";
    }
}
