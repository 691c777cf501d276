package dev.weir.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.MutableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BearerTokensTest {

    private static final Duration HOUR = Duration.ofHours(1);

    private final byte[] secret = new byte[32];
    private final SigningKey key = new SigningKey(secret);
    private final MutableClock clock = new MutableClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final BearerTokens tokens = new BearerTokens(key, HOUR, clock);

    @Test
    void aBearerSaysWhoseItIsAndUntilWhen() {
        BearerTokens.Claims claims = tokens.verify(tokens.issue("ann", "v1"));

        assertThat(claims)
                .isEqualTo(new BearerTokens.Claims("ann", "v1", clock.instant().plus(HOUR)));
    }

    @Test
    void noTwoBearersAreTheSame() {
        assertThat(tokens.issue("ann", "v1")).isNotEqualTo(tokens.issue("ann", "v1"));
    }

    @Test
    void aBearerExpiresOnTheSecond() {
        String token = tokens.issue("ann", "v1");

        clock.advance(HOUR.minusMillis(1));
        assertThat(tokens.verify(token).user()).isEqualTo("ann");
        clock.advance(Duration.ofMillis(1));
        assertThat(refusal(token)).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void noCharacterCanBeChanged() {
        String token = tokens.issue("ann", "v1");
        for (int i = 0; i < token.length(); i++) {
            // The last character carries only some bits of the signature: change one of those.
            char other = token.charAt(i) == 'A' ? 'Q' : token.charAt(i) == '.' ? 'x' : 'A';
            String changed = token.substring(0, i) + other + token.substring(i + 1);
            assertThat(refusal(changed)).as("position %d", i).isIn(Reason.MALFORMED, Reason.WRONG);
        }
    }

    @Test
    void aBearerOfAnotherKeyIsRefused() {
        byte[] other = new byte[32];
        other[0] = 1;

        assertThat(refusal(new BearerTokens(new SigningKey(other), HOUR, clock).issue("ann", "v1")))
                .isEqualTo(Reason.WRONG);
    }

    @Test
    void aBearerWithoutSignatureIsRefused() {
        assertThat(refusal(new PlainJWT(claims().build()).serialize())).isEqualTo(Reason.MALFORMED);
        String signed = tokens.issue("ann", "v1");
        assertThat(refusal(signed.substring(0, signed.lastIndexOf('.') + 1))).isIn(Reason.MALFORMED, Reason.WRONG);
    }

    @Test
    void anotherAlgorithmIsRefusedEvenUnderTheRightKey() throws Exception {
        byte[] bearerKey = key.derive("weir bearer 1");
        byte[] doubled = new byte[64];
        System.arraycopy(bearerKey, 0, doubled, 0, 32);

        assertThat(refusal(signed(JWSAlgorithm.HS512, doubled, claims().build())))
                .isEqualTo(Reason.WRONG);
        assertThat(tokens.verify(signed(JWSAlgorithm.HS256, bearerKey, claims().build()))
                        .user())
                .isEqualTo("ann");
    }

    @Test
    void everyClaimIsRequired() throws Exception {
        assertThat(refusalWithout(c -> c.issuer(null))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.issuer("other"))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.audience("other"))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.subject(null))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.issueTime(null))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.expirationTime(null))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.claim("ver", null))).isEqualTo(Reason.WRONG);
        assertThat(refusalWithout(c -> c.claim("ver", 7))).isEqualTo(Reason.MALFORMED);
        assertThat(refusalWithout(c -> c.issueTime(Date.from(clock.instant().plusSeconds(120)))))
                .isEqualTo(Reason.WRONG);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "a.b.c", "abc", "eyJhbGciOiJIUzI1NiJ9..", "\u0000\u0001"})
    void whatIsNoTokenIsRefused(String text) {
        assertThat(refusal(text)).isEqualTo(Reason.MALFORMED);
    }

    @Test
    void aHugeTokenIsRefusedUnread() {
        assertThat(refusal(tokens.issue("ann", "v".repeat(4096)))).isEqualTo(Reason.MALFORMED);
    }

    private Reason refusalWithout(UnaryOperator<JWTClaimsSet.Builder> change) throws Exception {
        return refusal(signed(
                JWSAlgorithm.HS256,
                key.derive("weir bearer 1"),
                change.apply(claims()).build()));
    }

    private JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .issuer("weir")
                .audience("weir")
                .subject("ann")
                .issueTime(Date.from(clock.instant()))
                .expirationTime(Date.from(clock.instant().plus(HOUR)))
                .claim("ver", "v1");
    }

    private static String signed(JWSAlgorithm algorithm, byte[] key, JWTClaimsSet claims) throws Exception {
        SignedJWT token = new SignedJWT(new JWSHeader(algorithm), claims);
        token.sign(new MACSigner(key));
        return token.serialize();
    }

    private Reason refusal(String token) {
        AuthenticationFailedException refused =
                catchThrowableOfType(AuthenticationFailedException.class, () -> tokens.verify(token));
        return refused.reason();
    }
}
