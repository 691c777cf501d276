package dev.weir.gateway.cli;

import dev.weir.auth.Role;
import dev.weir.auth.user.UserEntry;
import dev.weir.auth.user.UserStore;
import dev.weir.auth.user.UsersFileException;
import dev.weir.gateway.cli.table.TablePrinter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir user}: looks after the users file. A running gateway takes a change over within seconds. */
@Command(
        name = "user",
        description = "Add, change, remove and list the gateway's users.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {"", "A running gateway takes a change over within 5 seconds."})
final class UserCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private UserCommand() {}

    static CommandLine commandLine(CliContext context) {
        return new CommandLine(new UserCommand())
                .addSubcommand(new Add(context))
                .addSubcommand(new Passwd(context))
                .addSubcommand(new Remove(context))
                .addSubcommand(new ListUsers(context));
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "which command? add, passwd, remove or list");
    }

    /** Which users file is meant: the same rules as for the gateway, but without its YAML files. */
    static final class FileOptions {

        @Option(
                names = "--users-file",
                paramLabel = "FILE",
                description = "The users file (weir.auth.users-file); WEIR_AUTH_USERS_FILE when not given.")
        private @Nullable Path usersFile;

        @Option(
                names = {"--data-dir", "--weir.data-dir"},
                paramLabel = "DIR",
                description = "The data directory, whose users.yaml is meant; WEIR_DATA_DIR or ./data when not given.")
        private @Nullable Path dataDir;

        @Mixin
        private Verbosity verbosity = new Verbosity();

        Path file(CliContext context) {
            if (usersFile != null && dataDir != null) {
                throw CommandFailure.usage("give --users-file or --data-dir, not both");
            }
            if (usersFile != null) {
                return usersFile;
            }
            if (dataDir != null) {
                return dataDir.resolve("users.yaml");
            }
            String file = either(context, "WEIR_AUTH_USERS_FILE", "WEIR_AUTH_USERSFILE");
            if (file != null) {
                return Path.of(file);
            }
            String directory = either(context, "WEIR_DATA_DIR", "WEIR_DATADIR");
            return Path.of(directory == null ? "./data" : directory).resolve("users.yaml");
        }

        private static @Nullable String either(CliContext context, String first, String second) {
            String value = context.variable(first);
            return value != null ? value : context.variable(second);
        }
    }

    /** What the four commands have in common. */
    abstract static class OnStore implements Callable<Integer> {

        final CliContext context;

        @Mixin
        private FileOptions files = new FileOptions();

        OnStore(CliContext context) {
            this.context = context;
        }

        @Override
        public final Integer call() {
            Path file = files.file(context);
            try {
                run(file);
                return ExitCode.OK;
            } catch (UsersFileException e) {
                throw CommandFailure.failure(String.valueOf(e.getMessage()), e);
            } catch (IOException e) {
                throw CommandFailure.failure(e.toString(), e);
            }
        }

        abstract void run(Path file) throws IOException;

        static UserStore open(Path file) {
            if (Files.notExists(file)) {
                throw CommandFailure.failure("there is no users file " + file
                        + "; give --users-file or --data-dir, or make it with weir user add");
            }
            return UserStore.open(file, Clock.systemUTC());
        }
    }

    /** {@code weir user add}. */
    @Command(
            name = "add",
            description = "Add a user; the file is made when it is missing.",
            mixinStandardHelpOptions = true,
            versionProvider = WeirVersion.class,
            footer = {"", "The password comes from --password-stdin, else WEIR_USER_PASSWORD, else it is asked for."})
    static final class Add extends OnStore {

        @Parameters(paramLabel = "NAME", description = "The user's name.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Option(
                names = "--role",
                required = true,
                paramLabel = "ROLE",
                converter = RoleConverter.class,
                description = "reader runs statements that read; writer also changes data; admin does everything.")
        @SuppressWarnings("NullAway.Init") // required
        private Role role;

        @Option(
                names = "--groups",
                paramLabel = "GROUP",
                split = ",",
                description = "Groups whose limits apply, the first before the others.")
        private List<String> groups = new ArrayList<>();

        @Option(names = "--password-stdin", description = "Take the password from the first line of standard input.")
        private boolean passwordStdin;

        Add(CliContext context) {
            super(context);
        }

        @Override
        void run(Path file) throws IOException {
            Path directory = file.toAbsolutePath().getParent();
            if (directory != null) {
                OwnDirectory.create(directory);
            }
            UserStore store = UserStore.openOrCreate(file, Clock.systemUTC());
            if (store.list().stream().anyMatch(user -> user.name().equals(name))) {
                throw CommandFailure.failure("user '" + name + "' exists already; weir user passwd changes a password");
            }
            String password = new PasswordSource(context, "WEIR_USER_PASSWORD").chosen(name, passwordStdin);
            store.add(name, password, role, groups);
            context.err().println("Added " + name);
        }
    }

    /** {@code weir user passwd}. */
    @Command(
            name = "passwd",
            description = "Change a user's password; the old one and bearers issued under it end.",
            mixinStandardHelpOptions = true,
            versionProvider = WeirVersion.class,
            footer = {"", "The password comes from --password-stdin, else WEIR_USER_PASSWORD, else it is asked for."})
    static final class Passwd extends OnStore {

        @Parameters(paramLabel = "NAME", description = "The user's name.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Option(names = "--password-stdin", description = "Take the password from the first line of standard input.")
        private boolean passwordStdin;

        Passwd(CliContext context) {
            super(context);
        }

        @Override
        void run(Path file) {
            UserStore store = open(file);
            if (store.list().stream().noneMatch(user -> user.name().equals(name))) {
                throw CommandFailure.failure("there is no user '" + name + "'");
            }
            store.setPassword(name, new PasswordSource(context, "WEIR_USER_PASSWORD").chosen(name, passwordStdin));
            context.err().println("Changed the password of " + name);
        }
    }

    /** {@code weir user remove}. */
    @Command(
            name = "remove",
            description = "Remove a user.",
            mixinStandardHelpOptions = true,
            versionProvider = WeirVersion.class)
    static final class Remove extends OnStore {

        @Parameters(paramLabel = "NAME", description = "The user's name.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        Remove(CliContext context) {
            super(context);
        }

        @Override
        void run(Path file) {
            open(file).remove(name);
            context.err().println("Removed " + name);
        }
    }

    /** {@code weir user list}. */
    @Command(
            name = "list",
            description = "List the users.",
            mixinStandardHelpOptions = true,
            versionProvider = WeirVersion.class)
    static final class ListUsers extends OnStore {

        ListUsers(CliContext context) {
            super(context);
        }

        @Override
        void run(Path file) throws IOException {
            TablePrinter table = new TablePrinter(
                    context.print(),
                    List.of(
                            new TablePrinter.Column("name", false),
                            new TablePrinter.Column("role", false),
                            new TablePrinter.Column("groups", false)),
                    0);
            for (UserEntry user : open(file).list()) {
                table.row(List.of(
                        user.name(), user.role().name().toLowerCase(Locale.ROOT), String.join(",", user.groups())));
            }
            table.end();
        }
    }

    /** Roles as the users file writes them. */
    static final class RoleConverter implements CommandLine.ITypeConverter<Role> {

        @Override
        public Role convert(String value) {
            for (Role role : Role.values()) {
                if (role.name().equalsIgnoreCase(value)) {
                    return role;
                }
            }
            throw new CommandLine.TypeConversionException("'" + value + "' is no role; it is reader, writer or admin");
        }
    }
}
