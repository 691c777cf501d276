package dev.weir.auth;

import dev.weir.auth.AuthenticationFailedException.Reason;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/** The {@code Authorization} header, as HTTP and Flight SQL callers send it: Basic (RFC 7617, UTF-8) or Bearer. */
public final class AuthorizationHeader {

    /** Longest header value read, in characters. */
    public static final int MAX_LENGTH = 8192;

    private static final String BASIC = "Basic";
    private static final String BEARER = "Bearer";
    private static final Pattern BEARER_TOKEN = Pattern.compile("[A-Za-z0-9._~+/-]+=*");

    private AuthorizationHeader() {}

    /**
     * Reads the credentials in a header.
     *
     * @param value of the header, without its name
     * @return a password or a bearer, not yet checked
     * @throws AuthenticationFailedException MALFORMED when the value cannot be read, MISSING when it has no user or
     *     password
     */
    public static Credentials parse(String value) {
        if (value.length() > MAX_LENGTH) {
            throw malformed("The Authorization header is longer than " + MAX_LENGTH + " characters.");
        }
        String trimmed = value.strip();
        int space = trimmed.indexOf(' ');
        String scheme = space < 0 ? trimmed : trimmed.substring(0, space);
        String rest = space < 0 ? "" : trimmed.substring(space + 1).strip();
        if (scheme.equalsIgnoreCase(BASIC)) {
            return basic(rest);
        }
        if (scheme.equalsIgnoreCase(BEARER)) {
            return bearer(rest);
        }
        throw malformed("The Authorization header must be of the scheme Basic or Bearer.");
    }

    private static Credentials basic(String encoded) {
        String text = decode(encoded);
        int colon = text.indexOf(':');
        if (colon < 0) {
            throw malformed("The Basic credentials have no colon between user name and password.");
        }
        if (colon == 0 || colon == text.length() - 1) {
            throw new AuthenticationFailedException(Reason.MISSING, "A user name and a password are needed.");
        }
        return new Credentials.Password(text.substring(0, colon), text.substring(colon + 1));
    }

    private static Credentials bearer(String token) {
        if (!BEARER_TOKEN.matcher(token).matches()) {
            throw malformed("The Authorization header has no valid bearer token.");
        }
        return new Credentials.Bearer(token);
    }

    private static String decode(String encoded) {
        try {
            byte[] bytes = Base64.getDecoder().decode(encoded);
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (IllegalArgumentException e) {
            throw malformed("The Basic credentials are not valid Base64.");
        } catch (CharacterCodingException e) {
            throw malformed("The Basic credentials are not UTF-8 text.");
        }
    }

    private static AuthenticationFailedException malformed(String message) {
        return new AuthenticationFailedException(Reason.MALFORMED, message);
    }
}
