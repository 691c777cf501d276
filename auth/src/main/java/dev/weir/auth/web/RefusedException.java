package dev.weir.auth.web;

import dev.weir.auth.AuthenticationFailedException;
import org.springframework.security.core.AuthenticationException;

/** Carries a refusal through Spring Security; its cause says why. */
final class RefusedException extends AuthenticationException {

    private static final long serialVersionUID = 1L;

    RefusedException(AuthenticationFailedException why) {
        super(why.getMessage(), why);
    }

    /** A refusal is an answer, not a fault: where it came from tells nothing, and costs. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
