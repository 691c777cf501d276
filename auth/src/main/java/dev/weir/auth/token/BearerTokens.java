package dev.weir.auth.token;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;

/**
 * Bearers: JSON web tokens signed with HMAC-SHA256 (HS256, and nothing else) under a key of the gateway. They name the
 * user and the version of the user's record, but grant nothing by themselves: whoever verifies one looks the user up.
 * Thread-safe.
 */
public final class BearerTokens {

    private static final String PARTY = "weir";
    private static final String VERSION_CLAIM = "ver";
    private static final int MAX_LENGTH = 4096;
    private static final Duration CLOCK_SKEW = Duration.ofMinutes(1);
    private static final JWSHeader HEADER =
            new JWSHeader.Builder(JWSAlgorithm.HS256).type(JOSEObjectType.JWT).build();

    private final JWSSigner signer;
    private final JWSVerifier verifier;
    private final Duration timeToLive;
    private final Clock clock;

    /**
     * What a verified bearer says.
     *
     * @param user name in the users file
     * @param version of the user's record when the bearer was issued
     * @param expiresAt the bearer is not valid from then on
     */
    public record Claims(String user, String version, Instant expiresAt) {}

    /**
     * Issues and verifies bearers under a key of its own that is derived from the gateway's.
     *
     * @param timeToLive of the bearers issued, at least one second
     */
    public BearerTokens(SigningKey key, Duration timeToLive, Clock clock) {
        if (timeToLive.compareTo(Duration.ofSeconds(1)) < 0) {
            throw new IllegalArgumentException("a bearer must live for at least one second");
        }
        byte[] secret = key.derive("weir bearer 1");
        try {
            this.signer = new MACSigner(secret);
            this.verifier = new MACVerifier(secret);
        } catch (JOSEException e) {
            throw new IllegalStateException("HS256 takes keys of 32 bytes", e);
        }
        this.timeToLive = timeToLive;
        this.clock = clock;
    }

    /** Makes a new token in the compact form. */
    public String issue(String user, String version) {
        Instant now = clock.instant();
        JWTClaimsSet claims = new JWTClaimsSet.Builder()
                .issuer(PARTY)
                .audience(PARTY)
                .subject(user)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plus(timeToLive)))
                .jwtID(UUID.randomUUID().toString())
                .claim(VERSION_CLAIM, version)
                .build();
        SignedJWT token = new SignedJWT(HEADER, claims);
        try {
            token.sign(signer);
        } catch (JOSEException e) {
            throw new IllegalStateException("HS256 signs any text", e);
        }
        return token.serialize();
    }

    /**
     * Verifies signature, claims and time of a token.
     *
     * @return what the token says
     * @throws AuthenticationFailedException MALFORMED when it is no token, WRONG when it was not signed here, EXPIRED
     */
    public Claims verify(String token) {
        if (token.length() > MAX_LENGTH) {
            throw malformed();
        }
        try {
            SignedJWT parsed = SignedJWT.parse(token);
            if (!JWSAlgorithm.HS256.equals(parsed.getHeader().getAlgorithm()) || !parsed.verify(verifier)) {
                throw wrong();
            }
            return checked(parsed.getJWTClaimsSet());
        } catch (ParseException e) {
            throw malformed();
        } catch (JOSEException e) {
            throw wrong();
        }
    }

    /**
     * Verifies the time of a token that was verified before.
     *
     * @throws AuthenticationFailedException when the bearer's time is over
     */
    public void requireInTime(Claims claims) {
        if (!clock.instant().isBefore(claims.expiresAt())) {
            throw new AuthenticationFailedException(
                    Reason.EXPIRED, "The bearer token has expired; sign in again with a password.");
        }
    }

    private Claims checked(JWTClaimsSet claims) throws ParseException {
        Date issued = claims.getIssueTime();
        Date expires = claims.getExpirationTime();
        String user = claims.getSubject();
        String version = claims.getStringClaim(VERSION_CLAIM);
        boolean ours = PARTY.equals(claims.getIssuer()) && List.of(PARTY).equals(claims.getAudience());
        if (!ours || issued == null || expires == null || user == null || version == null) {
            throw wrong();
        }
        if (issued.toInstant().isAfter(clock.instant().plus(CLOCK_SKEW))) {
            throw wrong();
        }
        Claims result = new Claims(user, version, expires.toInstant());
        requireInTime(result);
        return result;
    }

    private static AuthenticationFailedException malformed() {
        return new AuthenticationFailedException(Reason.MALFORMED, "The bearer token is not one of this gateway's.");
    }

    private static AuthenticationFailedException wrong() {
        return new AuthenticationFailedException(
                Reason.WRONG, "The bearer token is not valid here; sign in again with a password.");
    }
}
