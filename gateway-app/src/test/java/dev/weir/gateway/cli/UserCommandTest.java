package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UserCommandTest {

    private final TestCli cli = new TestCli();

    @TempDir
    Path directory;

    private Path file() {
        return directory.resolve("data").resolve("users.yaml");
    }

    private int user(String... args) {
        List<String> all = new ArrayList<>(List.of("user"));
        all.addAll(List.of(args));
        all.add("--data-dir=" + directory.resolve("data"));
        return cli.run(all.toArray(new String[0]));
    }

    private String listed() {
        cli.out.reset();
        assertThat(user("list")).isZero();
        return cli.out();
    }

    @Test
    void addedUsersAreListedWithRoleAndGroups() throws Exception {
        cli.environment.put("WEIR_USER_PASSWORD", "long-enough");

        assertThat(user("add", "bob", "--role", "writer", "--groups", "etl,night"))
                .isZero();
        assertThat(user("add", "eve", "--role=READER")).isZero();

        assertThat(listed()).isEqualTo("""
                         name | role   | groups
                        ------+--------+-----------
                         bob  | writer | etl,night
                         eve  | reader |
                        (2 rows)
                        """);
        assertThat(Files.readString(file())).doesNotContain("long-enough");
    }

    @Test
    void thePasswordCanComeFromStandardInput() throws Exception {
        cli.in = "from-stdin-1\nrest".getBytes(StandardCharsets.UTF_8);
        assertThat(user("add", "bob", "--role=reader", "--password-stdin")).isZero();
        String before = Files.readString(file());

        cli.in = "from-stdin-2\r\n".getBytes(StandardCharsets.UTF_8);
        assertThat(user("passwd", "bob", "--password-stdin")).isZero();
        assertThat(Files.readString(file())).isNotEqualTo(before);
    }

    @Test
    void thePasswordIsAskedForTwice() {
        cli.answers.addAll(List.of("typed-once-1", "typed-else-2"));
        assertThat(user("add", "bob", "--role=reader")).isEqualTo(1);
        assertThat(cli.err()).isEqualTo("weir user add: the two passwords differ\n");

        cli.answers.addAll(List.of("typed-twice", "typed-twice"));
        assertThat(user("add", "bob", "--role=reader")).isZero();
    }

    @Test
    void withoutAPasswordNothingIsAdded() {
        assertThat(user("add", "bob", "--role=reader")).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("--password-stdin").contains("WEIR_USER_PASSWORD");
        assertThat(listed()).endsWith("(0 rows)\n");
    }

    @Test
    void aShortPasswordIsRefused() {
        cli.environment.put("WEIR_USER_PASSWORD", "short");
        assertThat(user("add", "bob", "--role=reader")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("password must have");
    }

    @Test
    void aNameIsTakenOnce() {
        cli.environment.put("WEIR_USER_PASSWORD", "long-enough");
        assertThat(user("add", "bob", "--role=reader")).isZero();
        cli.err.reset();

        assertThat(user("add", "bob", "--role=admin")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("'bob' exists already");
    }

    @Test
    void aRemovedUserIsGone() {
        cli.environment.put("WEIR_USER_PASSWORD", "long-enough");
        assertThat(user("add", "bob", "--role=reader")).isZero();
        assertThat(user("remove", "bob")).isZero();
        assertThat(listed()).endsWith("(0 rows)\n");
        cli.err.reset();

        assertThat(user("remove", "bob")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("no user 'bob'");
        assertThat(user("passwd", "bob")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "remove bob", "passwd bob"})
    void aMissingFileIsNamedAndNotMade(String command) {
        assertThat(user(command.split(" "))).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("there is no users file").contains("users.yaml");
        assertThat(file()).doesNotExist();
    }

    @Test
    void aBrokenFileIsOneLine() throws Exception {
        Files.createDirectories(file().getParent());
        Files.writeString(file(), "users: [");

        assertThat(user("list")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).startsWith("weir user list: ").contains("users.yaml");
    }

    @Test
    void anUnknownRoleIsAUsageError() {
        assertThat(user("add", "bob", "--role=root")).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("reader, writer or admin");
    }

    @Test
    void theFileIsFoundByTheGatewaysOwnVariables() {
        cli.environment.put("WEIR_USER_PASSWORD", "long-enough");
        cli.environment.put("WEIR_DATA_DIR", directory.resolve("other").toString());
        assertThat(cli.run("user", "add", "bob", "--role=reader")).isZero();
        assertThat(directory.resolve("other").resolve("users.yaml")).exists();

        cli.environment.put(
                "WEIR_AUTH_USERS_FILE", directory.resolve("third.yaml").toString());
        assertThat(cli.run("user", "add", "bob", "--role=reader")).isZero();
        assertThat(directory.resolve("third.yaml")).exists();

        assertThat(cli.run("user", "list", "--users-file=a", "--data-dir=b")).isEqualTo(2);
    }
}
