package dev.weir.auth.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.auth.MutableClock;
import dev.weir.auth.Role;
import dev.weir.auth.token.BearerTokens;
import dev.weir.auth.token.SigningKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileAuthenticatorTest {

    private static final String PASSWORD = "ann's password";
    private static final Duration BEARER_LIFE = Duration.ofHours(1);

    @TempDir
    private Path directory;

    private final MutableClock clock = new MutableClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final CountingHasher hasher = new CountingHasher();
    private UserStore users;
    private FileAuthenticator authenticator;

    @BeforeEach
    void open() throws IOException {
        Path file = directory.resolve("users.yaml");
        UserStore.openOrCreate(file, clock);
        users = UserStore.start(new UserStore(file, clock, hasher));
        users.add("ann", PASSWORD, Role.WRITER, List.of("g"));
        BearerTokens tokens = new BearerTokens(SigningKey.loadOrCreate(directory), BEARER_LIFE, clock);
        authenticator = new FileAuthenticator(users, tokens, hasher, 2, clock.nanoTime());
    }

    @AfterEach
    void close() {
        hasher.letGo();
        authenticator.close();
    }

    @Test
    void theRightPasswordGivesTheIdentity() {
        assertThat(signIn("ann", PASSWORD)).isEqualTo(new Identity("ann", List.of("g"), Role.WRITER));
    }

    @Test
    void wrongPasswordAndUnknownUserAreToldApartByNobody() {
        AuthenticationFailedException wrong = failure(new Credentials.Password("ann", "not the password"));
        AuthenticationFailedException unknown = failure(new Credentials.Password("eve", PASSWORD));

        assertThat(wrong.reason()).isEqualTo(Reason.WRONG);
        assertThat(unknown.reason()).isEqualTo(Reason.WRONG);
        assertThat(unknown).hasMessage(wrong.getMessage());
        assertThat(hasher.checks()).as("an unknown user costs a hash as well").isEqualTo(2);
    }

    @Test
    void theSecondCheckIsCompleteAtOnceAndHashesNothing() {
        signIn("ann", PASSWORD);

        CompletableFuture<Identity> second = authenticate(new Credentials.Password("ann", PASSWORD));

        assertThat(second)
                .isCompletedWithValueMatching(identity -> identity.user().equals("ann"));
        assertThat(hasher.checks()).isEqualTo(1);
    }

    @Test
    void aRightAnswerIsForgottenAfterFiveMinutes() {
        signIn("ann", PASSWORD);
        clock.advance(PasswordChecks.REMEMBER_RIGHT);

        signIn("ann", PASSWORD);

        assertThat(hasher.checks()).isEqualTo(2);
    }

    @Test
    void aClientThatRepeatsAWrongPasswordBurnsNoCpu() {
        for (int i = 0; i < 1000; i++) {
            assertThat(refusal("ann", "not the password")).isEqualTo(Reason.WRONG);
        }
        assertThat(hasher.checks()).isEqualTo(1);

        clock.advance(PasswordChecks.REMEMBER_WRONG);
        assertThat(refusal("ann", "not the password")).isEqualTo(Reason.WRONG);
        assertThat(hasher.checks()).isEqualTo(2);
    }

    @Test
    void twoHundredEqualSignInsAtOnceHashOnce() throws Exception {
        hasher.holdBack();
        ExecutorService threads = Executors.newFixedThreadPool(20);
        CountDownLatch asked = new CountDownLatch(200);
        List<Future<CompletableFuture<Identity>>> calls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            calls.add(threads.submit(() -> {
                CompletableFuture<Identity> stage = authenticate(new Credentials.Password("ann", PASSWORD));
                asked.countDown();
                return stage;
            }));
        }
        assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
        hasher.letGo();
        for (Future<CompletableFuture<Identity>> call : calls) {
            assertThat(call.get().get(10, TimeUnit.SECONDS).user()).isEqualTo("ann");
        }
        threads.shutdownNow();

        assertThat(hasher.checks()).isEqualTo(1);
    }

    @Test
    void aCallerThatGivesUpDoesNotDisturbTheOthers() {
        hasher.holdBack();
        CompletableFuture<Identity> first = authenticate(new Credentials.Password("ann", PASSWORD));
        CompletableFuture<Identity> second = authenticate(new Credentials.Password("ann", PASSWORD));
        first.cancel(true);
        hasher.letGo();

        assertThat(second).succeedsWithin(Duration.ofSeconds(10));
        assertThat(signIn("ann", PASSWORD).user()).isEqualTo("ann");
    }

    @Test
    void aChangedPasswordEndsTheOldOneAndItsBearersAtOnce() {
        Identity identity = signIn("ann", PASSWORD);
        String bearer = authenticator.issueBearer(identity);

        users.setPassword("ann", "another password");

        assertThat(refusal("ann", PASSWORD)).isEqualTo(Reason.WRONG);
        assertThat(failure(new Credentials.Bearer(bearer)).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(signIn("ann", "another password").user()).isEqualTo("ann");
    }

    @Test
    void aRemovedUserCannotSignInAnyMore() {
        Identity identity = signIn("ann", PASSWORD);
        String bearer = authenticator.issueBearer(identity);

        users.remove("ann");

        assertThat(refusal("ann", PASSWORD)).isEqualTo(Reason.WRONG);
        assertThat(failure(new Credentials.Bearer(bearer)).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(failure(new Credentials.ClientCertificate("ann")).reason()).isEqualTo(Reason.WRONG);
        assertThat(catchThrowable(() -> authenticator.issueBearer(identity)))
                .isInstanceOf(AuthenticationFailedException.class);
    }

    @Test
    void aPasswordChangedWhileItsCheckWaitsIsRefused() {
        hasher.holdBack();
        CompletableFuture<Identity> waiting = authenticate(new Credentials.Password("ann", PASSWORD));
        await().atMost(Duration.ofSeconds(10)).until(() -> hasher.entered() == 1);
        users.setPassword("ann", "another password");
        hasher.letGo();

        assertThat(reason(waiting)).isEqualTo(Reason.WRONG);
    }

    @Test
    void noBearerIsIssuedUnderAPasswordThatWasChangedSinceTheSignIn() {
        Identity identity = signIn("ann", PASSWORD);
        users.setPassword("ann", "another password");

        assertThat(catchThrowableOfType(AuthenticationFailedException.class, () -> authenticator.issueBearer(identity))
                        .reason())
                .isEqualTo(Reason.WRONG);
    }

    @Test
    void aPasswordThatWasWrongWorksAsSoonAsItIsSet() {
        assertThat(refusal("ann", "another password")).isEqualTo(Reason.WRONG);

        users.setPassword("ann", "another password");

        assertThat(signIn("ann", "another password").user()).isEqualTo("ann");
    }

    @Test
    void aUserThatWasUnknownWorksAsSoonAsItIsAdded() {
        assertThat(refusal("bob", PASSWORD)).isEqualTo(Reason.WRONG);

        users.add("bob", PASSWORD, Role.READER, List.of());

        assertThat(signIn("bob", PASSWORD).role()).isEqualTo(Role.READER);
    }

    @Test
    void aBearerGivesTheIdentityAtOnceUntilItExpires() {
        String bearer = authenticator.issueBearer(signIn("ann", PASSWORD));

        assertThat(authenticate(new Credentials.Bearer(bearer))).isCompletedWithValue(signIn("ann", PASSWORD));
        assertThat(authenticate(new Credentials.Bearer(bearer))).isCompletedWithValue(signIn("ann", PASSWORD));
        clock.advance(Duration.ofSeconds(1));
        assertThat(authenticate(new Credentials.Bearer(bearer))).isCompletedWithValue(signIn("ann", PASSWORD));
        clock.advance(BEARER_LIFE);
        assertThat(failure(new Credentials.Bearer(bearer)).reason()).isEqualTo(Reason.EXPIRED);
        assertThat(failure(new Credentials.Bearer(bearer + "x")).reason()).isIn(Reason.WRONG, Reason.MALFORMED);
    }

    @Test
    void aRememberedBearerExpiresToo() {
        String bearer = authenticator.issueBearer(signIn("ann", PASSWORD));
        clock.advance(BEARER_LIFE.minusSeconds(1));
        assertThat(authenticate(new Credentials.Bearer(bearer))).isCompleted();

        clock.advance(Duration.ofSeconds(1));

        assertThat(failure(new Credentials.Bearer(bearer)).reason()).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void aCertificatesCommonNameMustBeAUser() {
        assertThat(authenticate(new Credentials.ClientCertificate("ann")))
                .isCompletedWithValue(new Identity("ann", List.of("g"), Role.WRITER));
        assertThat(failure(new Credentials.ClientCertificate("eve")).reason()).isEqualTo(Reason.WRONG);
    }

    @Test
    void guessingIsSlowedDownButWhoeverHasSignedInIsNotLockedOut() {
        signIn("ann", PASSWORD);
        for (int i = 0; i < FailureThrottle.BURST; i++) {
            assertThat(refusal("ann", "guess number " + i)).isEqualTo(Reason.WRONG);
        }
        int checks = hasher.checks();

        assertThat(refusal("ann", "one guess more")).isEqualTo(Reason.BUSY);
        assertThat(hasher.checks()).isEqualTo(checks);
        assertThat(signIn("ann", PASSWORD).user()).isEqualTo("ann");
        users.add("bob", "bob's password", Role.READER, List.of());
        assertThat(signIn("bob", "bob's password").user()).isEqualTo("bob");

        clock.advance(FailureThrottle.REFILL);
        assertThat(refusal("ann", "one guess more")).isEqualTo(Reason.WRONG);
        assertThat(refusal("ann", "and another one")).isEqualTo(Reason.BUSY);
    }

    @Test
    void rightPasswordsAreNeverThrottled() {
        for (int i = 0; i < 3 * FailureThrottle.BURST; i++) {
            assertThat(signIn("ann", PASSWORD).user()).isEqualTo("ann");
            clock.advance(PasswordChecks.REMEMBER_RIGHT);
        }
        assertThat(hasher.checks()).isEqualTo(3 * FailureThrottle.BURST);
    }

    @Test
    void theQueueOfChecksIsBoundedAndAnsweredBusyBeyond() {
        hasher.holdBack();
        List<CompletableFuture<Identity>> calls = new ArrayList<>();
        int room = 2 + PasswordChecks.QUEUE_LENGTH;
        for (int i = 0; i < room; i++) {
            calls.add(authenticate(new Credentials.Password("user" + i, PASSWORD)));
        }
        assertThat(reason(authenticate(new Credentials.Password("late", PASSWORD))))
                .isEqualTo(Reason.BUSY);
        assertThat(calls).noneMatch(CompletableFuture::isDone);

        hasher.letGo();
        assertThat(calls).allSatisfy(call -> assertThat(reason(call)).isEqualTo(Reason.WRONG));
        assertThat(refusal("late", PASSWORD)).isEqualTo(Reason.WRONG);
    }

    @Test
    void impossibleNamesAndPasswordsAreRefusedUnhashed() {
        assertThat(refusal("", PASSWORD)).isEqualTo(Reason.WRONG);
        assertThat(refusal("a b", PASSWORD)).isEqualTo(Reason.WRONG);
        assertThat(refusal("ann", "x".repeat(1025))).isEqualTo(Reason.WRONG);
        assertThat(refusal("ann", "lone \uDC00 surrogate")).isEqualTo(Reason.WRONG);
        assertThat(hasher.entered()).isZero();
    }

    @Test
    void atTheEndWaitingChecksAreAnswered() {
        hasher.holdBack();
        List<CompletableFuture<Identity>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(authenticate(new Credentials.Password("user" + i, PASSWORD)));
        }

        authenticator.close();

        assertThat(calls).allSatisfy(call -> assertThat(reason(call)).isEqualTo(Reason.BUSY));
        assertThat(refusal("ann", PASSWORD)).isEqualTo(Reason.BUSY);
    }

    private Identity signIn(String user, String password) {
        return authenticate(new Credentials.Password(user, password))
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    private CompletableFuture<Identity> authenticate(Credentials credentials) {
        return authenticator.authenticate(credentials).toCompletableFuture();
    }

    private Reason refusal(String user, String password) {
        return reason(authenticate(new Credentials.Password(user, password)));
    }

    private AuthenticationFailedException failure(Credentials credentials) {
        return failure(authenticate(credentials));
    }

    private static Reason reason(CompletableFuture<Identity> stage) {
        return failure(stage).reason();
    }

    private static AuthenticationFailedException failure(CompletableFuture<Identity> stage) {
        try {
            throw new AssertionError("let in: " + stage.get(10, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(AuthenticationFailedException.class);
            return (AuthenticationFailedException) e.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }
}
