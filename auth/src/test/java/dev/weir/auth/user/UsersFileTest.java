package dev.weir.auth.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.auth.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UsersFileTest {

    private static final String HASH =
            "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";

    @Test
    void readsUsersInTheFilesOrder() {
        Map<String, StoredUser> users = parse("""
                users:
                  - name: zoe
                    hash: %s
                    role: admin
                  - {name: ann@example.org, hash: "%s", role: reader, groups: [b, a]}
                """.formatted(HASH, HASH));

        assertThat(users.keySet()).containsExactly("zoe", "ann@example.org");
        assertThat(users.get("zoe").entry()).isEqualTo(new UserEntry("zoe", Role.ADMIN, List.of()));
        assertThat(users.get("ann@example.org").entry())
                .isEqualTo(new UserEntry("ann@example.org", Role.READER, List.of("b", "a")));
        assertThat(users.get("zoe").hash()).isEqualTo(HASH);
    }

    @Test
    void whatIsWrittenIsReadBackTheSame() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<StoredUser> users = randomUsers(random);
            List<StoredUser> read =
                    List.copyOf(UsersFile.parse(UsersFile.render(users)).values());
            assertThat(read)
                    .as("seed %d", seed)
                    .extracting(StoredUser::entry)
                    .isEqualTo(users.stream().map(StoredUser::entry).toList());
            assertThat(read)
                    .as("seed %d", seed)
                    .extracting(StoredUser::version)
                    .isEqualTo(users.stream().map(StoredUser::version).toList());
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "users: [{name: ann, hash: HASH, role: boss}] | user 'ann': 'role' must be reader, writer or admin",
                "users: [{name: ann, hash: HASH, role: Reader}] | user 'ann': 'role' must be reader, writer or admin",
                "users: [{name: ann, hash: HASH}] | user 'ann': 'role' is missing",
                "users: [{name: ann, role: reader}] | user 'ann': 'hash' is missing",
                "users: [{hash: HASH, role: reader}] | user 1: 'name' is missing",
                "users: [{name: 7, hash: HASH, role: reader}] | user 1: 'name' must be text; put it in quotes",
                "users: [{name: an n, hash: HASH, role: reader}] | user 1: 'name' must be 1 to 64 ASCII letters",
                "users: [{name: -ann, hash: HASH, role: reader}] | user 1: 'name' must be 1 to 64 ASCII letters",
                "users: [{name: änn, hash: HASH, role: reader}] | user 1: 'name' must be 1 to 64 ASCII letters",
                "users: [{name: ann, hash: HASH, role: reader, rolle: x}] | user 'ann': unknown key 'rolle'",
                "users: [{name: ann, hash: HASH, role: reader, groups: a}] | user 'ann': 'groups' must be a list",
                "users: [{name: ann, hash: HASH, role: reader, groups: [1]}] | user 'ann': each of 'groups' must be 1 to",
                "users: [{name: ann, hash: HASH, role: reader, groups: [a, a]}] | user 'ann': 'groups' may have up to",
                "users: [{name: ann, hash: secret, role: reader}] | user 'ann': 'hash' must be an Argon2id hash",
                "users: [{name: a, hash: HASH, role: reader}, {name: a, hash: HASH, role: admin}] | user 'a' appears twice",
                "users: [ann] | user 1 must be a mapping",
                "users: ann | 'users' must be a list",
                "users: | 'users' must be a list",
                "user: [] | unknown key 'user'",
                "[] | must be a mapping",
                "`` | must be a mapping",
                "users: [{name: a, name: b, hash: HASH, role: reader}] | is not valid YAML, or has a key twice (line 1)",
                "users: [] ] | is not valid YAML",
                "{users: [ | is not valid YAML",
            })
    void refusesWhatItDoesNotKnowAndSaysWhere(String yaml, String message) {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> parse(yaml.replace("HASH", '"' + HASH + '"')))
                .withMessageStartingWith(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$argon2i$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=16$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=19456,t=200,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=19456,t=2,p=99$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=8,t=2,p=2$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=19456,t=0,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=19456,t=2,p=1$c2Fsd$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNo",
                "$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaA",
                "$2a$10$abcdefghijklmnopqrstuuAbCdEfGhIjKlMnOpQrStUvWxYz01234",
                ""
            })
    void refusesHashesThatItCannotOrShouldNotCheck(String hash) {
        assertThat(Argon2Hasher.problem(hash)).isNotNull();
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> parse("users: [{name: ann, role: reader, hash: \"" + hash + "\"}]"))
                .withMessageStartingWith("user 'ann': 'hash' ");
    }

    @Test
    void ownHashesAreAcceptedAndMatchTheirPasswordOnly() {
        Argon2Hasher hasher = new Argon2Hasher();
        String hash = hasher.hash("pässwörd \uD83D\uDD11");

        assertThat(hash).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
        assertThat(Argon2Hasher.problem(hash)).isNull();
        assertThat(hasher.matches("pässwörd \uD83D\uDD11", hash)).isTrue();
        assertThat(hasher.matches("passwörd \uD83D\uDD11", hash)).isFalse();
    }

    @Test
    void checksHashesMadeByTheReferenceImplementation() {
        // A vector of the reference implementation's own tests (version 19, Argon2id).
        String hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";

        assertThat(Argon2Hasher.problem(hash)).isNull();
        assertThat(new Argon2Hasher().matches("password", hash)).isTrue();
        assertThat(new Argon2Hasher().matches("Password", hash)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: &a [x, x]\nusers: [*a, *a]",
                "users: &u []",
                "users: [&x {name: ann, hash: h, role: reader}, *x]",
                "users: !!set {}",
                "users: [{name: ann, hash: h, role: !custom reader}]",
                "lol1: &l1 [lol]\nlol2: &l2 [*l1,*l1,*l1]\nlol3: [*l2,*l2,*l2]"
            })
    void refusesAnchorsAliasesAndTags(String yaml) {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> parse(yaml))
                .withMessageStartingWith("must not use anchors, aliases or tags");
    }

    @Test
    void refusesASecondDocument() {
        assertThatExceptionOfType(UsersFileException.class).isThrownBy(() -> parse("users: []\n---\nusers: []\n"));
    }

    @Test
    void refusesDeepNestingWithoutExhaustingTheStack() {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> parse("users: " + "[".repeat(100_000) + "]".repeat(100_000)));
    }

    @Test
    void refusesTextThatIsNotUtf8() {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> UsersFile.parse(new byte[] {'u', (byte) 0xc3, '('}))
                .withMessage("is not UTF-8 text");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "root:x:topsecret:0:root:/root:/bin/sh\n",
                "-----BEGIN PRIVATE KEY-----\ntopsecret: [\n",
                "topsecret and more: 1",
                "users: [{name: topsecret!, hash: h, role: r}]",
                "users: [{name: ann, hash: topsecret, role: reader}]",
                "users: [{name: ann, hash: h, role: reader, 'topsecret key': 1}]",
                "\"topsecret",
                "\ttopsecret: %"
            })
    void errorsDoNotRepeatTheContent(String content) {
        assertThatExceptionOfType(UsersFileException.class)
                .isThrownBy(() -> parse(content))
                .satisfies(e ->
                        assertThat(e.getMessage()).doesNotContain("topsecret").doesNotContain("\n"));
    }

    @Test
    void everyFieldOfAUserChangesItsVersion() {
        StoredUser user = new StoredUser("ann", HASH, Role.READER, List.of("a", "b"));

        assertThat(List.of(
                        new StoredUser("ann", HASH, Role.READER, List.of("a", "b")).version(),
                        new StoredUser("bob", HASH, Role.READER, List.of("a", "b")).version(),
                        new StoredUser("ann", HASH + "x", Role.READER, List.of("a", "b")).version(),
                        new StoredUser("ann", HASH, Role.WRITER, List.of("a", "b")).version(),
                        new StoredUser("ann", HASH, Role.READER, List.of("b", "a")).version(),
                        new StoredUser("ann", HASH, Role.READER, List.of("ab")).version(),
                        new StoredUser("ann", HASH, Role.READER, List.of()).version()))
                .startsWith(user.version())
                .doesNotHaveDuplicates();
    }

    private static Map<String, StoredUser> parse(String yaml) {
        return UsersFile.parse(yaml.getBytes(StandardCharsets.UTF_8));
    }

    private static List<StoredUser> randomUsers(Random random) {
        // Names that YAML might take for something else come often.
        List<String> traps =
                List.of("true", "null", "no", "12", "1e3", "0x1F", "_", "a.b-c@d", "NaN", "y", "2024-01-01");
        List<StoredUser> users = new ArrayList<>();
        for (int i = random.nextInt(8); i > 0; i--) {
            String name = random.nextBoolean() ? traps.get(random.nextInt(traps.size())) : "u" + random.nextInt(1000);
            if (users.stream().noneMatch(user -> user.name().equals(name))) {
                List<String> groups = random.nextBoolean() ? List.of() : List.of(traps.get(random.nextInt(9)), "g");
                users.add(new StoredUser(name, HASH, Role.values()[random.nextInt(3)], groups));
            }
        }
        return users;
    }
}
