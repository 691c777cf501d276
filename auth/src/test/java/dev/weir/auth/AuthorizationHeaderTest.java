package dev.weir.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.auth.AuthenticationFailedException.Reason;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthorizationHeaderTest {

    @Test
    void readsBasic() {
        assertThat(AuthorizationHeader.parse("Basic " + base64("ann:a password")))
                .isEqualTo(new Credentials.Password("ann", "a password"));
        assertThat(AuthorizationHeader.parse("  bAsIc   " + base64("ann:x") + " "))
                .isEqualTo(new Credentials.Password("ann", "x"));
    }

    @Test
    void aPasswordMayHaveColonsAndAnyUnicode() {
        assertThat(AuthorizationHeader.parse("Basic " + base64("ann::p:ä\uD83D\uDD11: ")))
                .isEqualTo(new Credentials.Password("ann", ":p:ä\uD83D\uDD11: "));
    }

    @Test
    void paddingMayBeLeftOut() {
        String encoded = base64("ann:password");
        assertThat(encoded).doesNotEndWith("==");
        assertThat(AuthorizationHeader.parse("Basic " + base64("ann:passwor").replace("=", "")))
                .isEqualTo(new Credentials.Password("ann", "passwor"));
    }

    @Test
    void readsBearer() {
        assertThat(AuthorizationHeader.parse("Bearer aA0-._~+/==")).isEqualTo(new Credentials.Bearer("aA0-._~+/=="));
        assertThat(AuthorizationHeader.parse("bearer  a.b.c")).isEqualTo(new Credentials.Bearer("a.b.c"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "Basic!",
                "Digest username=ann",
                "YW5uOng=",
                "Basic",
                "Basic ",
                "Basic %%%",
                "Basic YW5u:eA==",
                "Basic YW5uOng= YW5uOng=",
                "Basic YW5u", // "ann", without a colon
                "Basic YW5uOv8=", // "ann:" and the byte 0xff
                "Bearer",
                "Bearer ",
                "Bearer a b",
                "Bearer =a",
                "Bearer \u0001",
                "Bearer äöü"
            })
    void refusesWhatItCannotRead(String value) {
        assertThat(refusal(value).reason()).isEqualTo(Reason.MALFORMED);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ann:", ":password", ":"})
    void refusesAnEmptyUserOrPassword(String text) {
        assertThat(refusal("Basic " + base64(text)).reason()).isEqualTo(Reason.MISSING);
    }

    @Test
    void refusesAHeaderOverEightKilobytes() {
        String longest = "Bearer " + "x".repeat(AuthorizationHeader.MAX_LENGTH - 7);

        assertThat(AuthorizationHeader.parse(longest)).isInstanceOf(Credentials.Bearer.class);
        assertThat(refusal(longest + "x").reason()).isEqualTo(Reason.MALFORMED);
    }

    @Test
    void noMessageOrTextFormRevealsASecret() {
        assertThat(AuthorizationHeader.parse("Basic " + base64("ann:topsecret")).toString())
                .doesNotContain("topsecret");
        assertThat(AuthorizationHeader.parse("Bearer topsecret").toString()).doesNotContain("topsecret");
        assertThat(refusal("Basic topsecret!").getMessage()).doesNotContain("topsecret");
        assertThat(refusal("topsecret x").getMessage()).doesNotContain("topsecret");
    }

    private static AuthenticationFailedException refusal(String value) {
        return catchThrowableOfType(AuthenticationFailedException.class, () -> AuthorizationHeader.parse(value));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
