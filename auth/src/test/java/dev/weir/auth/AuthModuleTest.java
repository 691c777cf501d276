package dev.weir.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.auth.user.UserEntry;
import dev.weir.auth.user.UserStore;
import dev.weir.auth.user.UsersFileException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AuthModuleTest {

    @TempDir
    private Path directory;

    private final MutableClock clock = new MutableClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final ManualScheduler scheduler = new ManualScheduler();

    @Test
    void aFirstStartMakesWhatItNeeds() {
        Path dataDir = directory.resolve("data");
        try (AuthModule module = AuthModule.open(settings(dataDir, null), scheduler)) {
            assertThat(module.userStore().createAdminIfEmpty("the admin's password"))
                    .isTrue();
            assertThat(signIn(module, "admin", "the admin's password")).succeedsWithin(Duration.ofSeconds(10));
        }
        assertThat(dataDir.resolve("users.yaml")).isRegularFile();
        assertThat(dataDir.resolve("keys/token.key")).hasSize(32);
        assertThat(scheduler.isShutdown()).isTrue();
    }

    @Test
    void aPasswordChangedByAnotherProcessEndsWithinTwoSecondsWithItsBearers() {
        try (AuthModule module = AuthModule.open(settings(directory, null), scheduler)) {
            module.userStore().createAdminIfEmpty("the admin's password");
            Identity identity = signIn(module, "admin", "the admin's password").join();
            String bearer = module.authenticator().issueBearer(identity);

            UserStore.open(directory.resolve("users.yaml"), Clock.systemUTC()).setPassword("admin", "another password");
            assertThat(signIn(module, "admin", "the admin's password")).isCompleted();
            scheduler.advance(Duration.ofSeconds(2));

            assertThat(signIn(module, "admin", "the admin's password")).failsWithin(Duration.ofSeconds(10));
            assertThat(module.authenticator()
                            .authenticate(new Credentials.Bearer(bearer))
                            .toCompletableFuture())
                    .isCompletedExceptionally();
            assertThat(signIn(module, "admin", "another password")).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    @Test
    void bearersAndTicketsOutliveARestart() {
        String bearer;
        byte[] ticket;
        try (AuthModule module = AuthModule.open(settings(directory, null), scheduler)) {
            module.userStore().createAdminIfEmpty("the admin's password");
            bearer = module.authenticator()
                    .issueBearer(signIn(module, "admin", "the admin's password").join());
            ticket = module.ticketSigner().sign("admin", new byte[] {1}, Duration.ofMinutes(1));
        }
        try (AuthModule module = AuthModule.open(settings(directory, null), new ManualScheduler())) {
            assertThat(module.authenticator()
                            .authenticate(new Credentials.Bearer(bearer))
                            .toCompletableFuture())
                    .isCompleted();
            assertThat(module.ticketSigner().verify("admin", ticket)).containsExactly(1);
        }
    }

    @Test
    void theUsersFileMayLieElsewhere() {
        Path file = directory.resolve("elsewhere.yaml");
        try (AuthModule module = AuthModule.open(settings(directory.resolve("data"), file), scheduler)) {
            module.userStore().createAdminIfEmpty("the admin's password");
        }
        assertThat(UserStore.open(file, clock).list())
                .extracting(UserEntry::name)
                .isEqualTo(List.of("admin"));
    }

    @Test
    void aBrokenUsersFileStopsTheStartAndNamesTheProperty() throws IOException {
        Files.writeString(directory.resolve("users.yaml"), "users: [{name: ann, role: reader}]");

        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> AuthModule.open(settings(directory, null), scheduler))
                .withMessageMatching("weir.auth.users-file: users file .*: user 'ann': 'hash' is missing");
        assertThat(scheduler.isShutdown()).isTrue();
    }

    @Test
    void aDataDirectoryThatCannotBeUsedStopsTheStartAndNamesTheProperty() throws IOException {
        Path file = Files.createFile(directory.resolve("file"));
        Files.createDirectories(directory.resolve("other/keys"));
        Files.write(directory.resolve("other/keys/token.key"), new byte[31]);

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> AuthModule.open(settings(file, null), scheduler))
                .withMessageStartingWith("weir.data-dir: ");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> AuthModule.open(settings(directory.resolve("other"), null), scheduler))
                .withMessageContaining("must hold exactly 32 bytes");
    }

    @Test
    void replicasWithTheSameKeyFileTakeEachOthersTickets() throws IOException {
        Path key = Files.write(directory.resolve("shared.key"), new byte[32]);
        byte[] ticket;
        try (AuthModule one = AuthModule.open(withKey(directory.resolve("one"), key), scheduler)) {
            ticket = one.ticketSigner().sign("ann", new byte[] {1}, Duration.ofMinutes(1));
        }
        try (AuthModule other = AuthModule.open(withKey(directory.resolve("other"), key), new ManualScheduler())) {
            assertThat(other.ticketSigner().verify("ann", ticket)).containsExactly(1);
        }
        assertThat(directory.resolve("one/keys")).doesNotExist();
        assertThat(directory.resolve("shared.key.lock")).doesNotExist();
    }

    @Test
    void aKeyFileThatIsNoneStopsTheStartAndNamesTheProperty() throws IOException {
        Path wrong = Files.write(directory.resolve("short.key"), new byte[31]);

        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> AuthModule.open(withKey(directory, wrong), scheduler))
                .withMessageStartingWith("weir.auth.token-key-file: ")
                .withMessageContaining("must hold exactly 32 bytes");
        assertThatExceptionOfType(UncheckedIOException.class)
                .isThrownBy(() -> AuthModule.open(withKey(directory, directory.resolve("none")), scheduler))
                .withMessageEndingWith("it does not exist");
    }

    private AuthSettings withKey(Path dataDir, Path key) {
        return new AuthSettings(dataDir, null, key, Duration.ofHours(1), clock);
    }

    private AuthSettings settings(Path dataDir, Path usersFile) {
        return new AuthSettings(dataDir, usersFile, Duration.ofHours(1), clock);
    }

    private static CompletableFuture<Identity> signIn(AuthModule module, String user, String password) {
        return module.authenticator()
                .authenticate(new Credentials.Password(user, password))
                .toCompletableFuture();
    }
}
