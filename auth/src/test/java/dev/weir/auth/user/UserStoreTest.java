package dev.weir.auth.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.auth.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserStoreTest {

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void chooseFile() {
        file = directory.resolve("users.yaml");
    }

    @Test
    void aMissingFileIsMadeOnlyWhenAskedFor() throws IOException {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> UserStore.open(file, Clock.systemUTC()))
                .withMessage("users file " + file + ": it does not exist");

        assertThat(openOrCreate().list()).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(UserStore.open(file, Clock.systemUTC()).list()).isEmpty();
    }

    @Test
    void makesTheDirectoriesOfItsFile() {
        file = directory.resolve("a/b/users.yaml");

        assertThat(openOrCreate().list()).isEmpty();
    }

    @Test
    void changesAreInForceAtOnceAndInTheFile() throws IOException {
        UserStore store = openOrCreate();
        store.add("ann", "first password", Role.READER, List.of("g1", "g2"));
        store.add("bob", "other password", Role.WRITER, List.of());
        String version = store.find("ann").version();
        store.setPassword("ann", "second password");
        store.remove("bob");

        UserEntry ann = new UserEntry("ann", Role.READER, List.of("g1", "g2"));
        assertThat(store.list()).containsExactly(ann);
        assertThat(store.find("ann").version()).isNotEqualTo(version);
        assertThat(openOrCreate().list()).containsExactly(ann);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        try (var left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder("users.yaml", "users.yaml.lock");
        }
    }

    @Test
    void refusesChangesThatMakeNoSense() {
        UserStore store = openOrCreate();
        store.add("ann", "a password", Role.READER, List.of());

        assertRefused(() -> store.add("ann", "a password", Role.ADMIN, List.of()), "user 'ann' exists already");
        assertRefused(() -> store.remove("bob"), "there is no user 'bob'");
        assertRefused(() -> store.setPassword("bob", "a password"), "there is no user 'bob'");
        assertRefused(() -> store.add("b b", "a password", Role.READER, List.of()), "the user name must be");
        assertRefused(() -> store.add("bob", "a password", Role.READER, List.of("a b")), "the group name must be");
        assertRefused(() -> store.add("bob", "a password", Role.READER, List.of("a", "a")), "a user may have up to");
        assertThat(store.list()).extracting(UserEntry::role).containsExactly(Role.READER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1234567", "with\nline end", "with carriage return\r", "lone surrogate \uD800 here"})
    void refusesBadPasswords(String password) {
        UserStore store = openOrCreate();

        assertRefused(() -> store.add("ann", password, Role.READER, List.of()), "the password");
        assertRefused(() -> store.createAdminIfEmpty(password), "the password");
        assertThat(store.list()).isEmpty();
    }

    @Test
    void boundsThePasswordsLength() {
        UserStore store = openOrCreate();

        store.add("ann", "x".repeat(1024), Role.READER, List.of());
        assertRefused(() -> store.setPassword("ann", "x".repeat(1025)), "the password must have 8 to 1024");
    }

    @Test
    void theFirstAdminIsMadeOnce() {
        UserStore store = openOrCreate();

        assertThat(store.createAdminIfEmpty("first password")).isTrue();
        assertThat(store.createAdminIfEmpty("second password")).isFalse();
        assertThat(store.list()).containsExactly(new UserEntry("admin", Role.ADMIN, List.of()));
    }

    @Test
    void theFirstAdminIsNotMadeBesideUsersThatAnotherProcessAdded() {
        UserStore store = openOrCreate();
        openOrCreate().add("ann", "a password", Role.READER, List.of());

        assertThat(store.createAdminIfEmpty("first password")).isFalse();
        assertThat(store.list()).extracting(UserEntry::name).containsExactly("ann");
    }

    @Test
    void pollingSeesWhatAnotherProcessWrote() {
        UserStore gateway = openOrCreate();
        openOrCreate().add("ann", "a password", Role.READER, List.of());
        assertThat(gateway.list()).isEmpty();

        gateway.poll();

        assertThat(gateway.list()).extracting(UserEntry::name).containsExactly("ann");
    }

    @Test
    void pollingSeesAChangeInPlaceThatLeavesTimeAndSizeAsTheyWere() throws IOException {
        UserStore writer = openOrCreate();
        writer.add("ann", "a password", Role.READER, List.of());
        UserStore gateway = openOrCreate();
        FileTime time = Files.getLastModifiedTime(file);

        Files.writeString(file, Files.readString(file).replace("\"reader\"", "\"writer\""));
        Files.setLastModifiedTime(file, time);
        gateway.poll();

        assertThat(gateway.list()).extracting(UserEntry::role).containsExactly(Role.WRITER);
    }

    @Test
    void anOldFileThatDidNotChangeIsNotReadAgain() throws IOException {
        openOrCreate().add("ann", "a password", Role.READER, List.of());
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minusSeconds(60)));
        UserStore gateway = openOrCreate();
        Instant loaded = gateway.status().loadedAt();

        gateway.poll();

        assertThat(gateway.status().loadedAt()).isEqualTo(loaded);
    }

    @Test
    void usersThatDidNotChangeKeepTheirRecord() {
        UserStore store = openOrCreate();
        store.add("ann", "a password", Role.READER, List.of());
        StoredUser before = store.find("ann");

        store.add("bob", "a password", Role.READER, List.of());

        assertThat(store.find("ann")).isSameAs(before);
    }

    @Test
    void aBrokenFileLeavesTheLastGoodUsersInForceUntilItIsMended() throws IOException {
        UserStore store = openOrCreate();
        store.add("ann", "a password", Role.READER, List.of());
        String good = Files.readString(file);

        Files.writeString(file, "users: [{name: eve}]");
        store.poll();
        assertThat(store.list()).extracting(UserEntry::name).containsExactly("ann");
        assertThat(store.status().problem()).isEqualTo("users file " + file + ": user 'eve': 'hash' is missing");
        assertThat(store.status().users()).isEqualTo(1);
        assertRefused(() -> store.remove("ann"), "users file " + file + ": user 'eve': 'hash' is missing");

        Files.writeString(file, good);
        store.poll();
        assertThat(store.status().problem()).isNull();
        store.remove("ann");
        assertThat(store.list()).isEmpty();
    }

    @Test
    void aDeletedFileLeavesTheLastGoodUsersInForce() throws IOException {
        UserStore store = openOrCreate();
        store.add("ann", "a password", Role.READER, List.of());

        Files.delete(file);
        store.poll();

        assertThat(store.list()).hasSize(1);
        assertThat(store.status().problem()).isEqualTo("users file " + file + ": it does not exist");
    }

    @Test
    void anEmptyFileIsBrokenAndNotAFileWithoutUsers() throws IOException {
        UserStore store = openOrCreate();
        store.add("ann", "a password", Role.READER, List.of());

        Files.writeString(file, "");
        store.poll();

        assertThat(store.list()).hasSize(1);
        assertThat(store.status().problem()).contains("must be a mapping");
    }

    @Test
    void aHugeFileIsRefused() throws IOException {
        Files.writeString(file, "#".repeat(UsersFile.MAX_BYTES + 1));

        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(this::openOrCreate)
                .withMessage("users file " + file + ": larger than 1048576 bytes");
    }

    @Test
    void aBrokenFileStopsTheStart() throws IOException {
        Files.writeString(file, "users: [{name: ann, hash: x, role: reader}]");

        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(this::openOrCreate)
                .withMessageStartingWith("users file " + file + ": user 'ann': 'hash' must be an Argon2id hash");
    }

    @Test
    void aSymbolicLinkIsFollowedByReadsAndWrites() throws IOException {
        Path real = directory.resolve("real.yaml");
        UserStore.openOrCreate(real, Clock.systemUTC());
        Files.createSymbolicLink(file, real);
        UserStore store = openOrCreate();

        store.add("ann", "a password", Role.READER, List.of());

        assertThat(file).isSymbolicLink();
        assertThat(UserStore.open(real, Clock.systemUTC()).list()).hasSize(1);
    }

    @Test
    void aFileRenamedIntoPlaceIsSeen() throws IOException {
        UserStore store = openOrCreate();
        Path other = directory.resolve("other.yaml");
        UserStore.openOrCreate(other, Clock.systemUTC()).add("ann", "a password", Role.READER, List.of());

        Files.move(other, file, StandardCopyOption.REPLACE_EXISTING);
        store.poll();

        assertThat(store.list()).hasSize(1);
    }

    @Test
    void concurrentWritersLoseNoChange() throws Exception {
        openOrCreate();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> added = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            String prefix = "w" + writer + "-";
            added.add(threads.submit(() -> {
                UserStore own = new UserStore(file, Clock.systemUTC(), new CountingHasher());
                for (int i = 0; i < 10; i++) {
                    own.add(prefix + i, "a password", Role.READER, List.of());
                }
            }));
        }
        for (Future<?> writer : added) {
            writer.get(30, TimeUnit.SECONDS);
        }
        threads.shutdownNow();

        assertThat(openOrCreate().list()).hasSize(40);
    }

    private UserStore openOrCreate() {
        return UserStore.openOrCreate(file, Clock.systemUTC());
    }

    private static void assertRefused(Runnable change, String message) {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(change::run)
                .withMessageStartingWith(message);
    }
}
