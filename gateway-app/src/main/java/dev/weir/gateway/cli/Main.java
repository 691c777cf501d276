package dev.weir.gateway.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** Entry point of {@code bin/weir}. */
public final class Main {

    private Main() {}

    public static void main(String[] args) {
        if (args.length == 0 || !(args[0].equals("serve") || args[0].equals("worker"))) {
            silenceLogging();
        }
        System.exit(run(CliContext.ofProcess(), new SpringGatewayStarter(), args));
    }

    /**
     * Only serve and worker have a log. In the others libraries would write theirs to standard output, among the results; and setting
     * up a logging backend takes a good part of a short command's time.
     */
    private static void silenceLogging() {
        System.setProperty("slf4j.provider", "org.slf4j.helpers.NOP_FallbackServiceProvider");
        System.setProperty("slf4j.internal.verbosity", "WARN");
    }

    /** Runs a command and gives its exit code. */
    static int run(CliContext context, GatewayStarter starter, String... args) {
        return commandLine(context, starter).execute(args);
    }

    static CommandLine commandLine(CliContext context, GatewayStarter starter) {
        CommandLine line = new CommandLine(new WeirCommand())
                .addSubcommand(new ServeCommand(context, starter))
                .addSubcommand(new WorkerCommand(context, new SpringWorkerStarter()))
                .addSubcommand(new QueryCommand(context))
                .addSubcommand(new HealthCommand(context))
                .addSubcommand(new DrainCommand(context))
                .addSubcommand(UserCommand.commandLine(context))
                .addSubcommand(new SecretCommand(context))
                .addSubcommand(new TpchCommand(context))
                .addSubcommand(new SimulateCommand(context));
        line.setOut(new PrintWriter(context.print(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(context.err(), true, StandardCharsets.UTF_8));
        line.setParameterExceptionHandler(usageError(context));
        line.setExecutionExceptionHandler((error, command, parsed) -> report(error, command, context));
        line.setUsageHelpWidth(100);
        line.setAbbreviatedOptionsAllowed(false);
        return line;
    }

    private static IParameterExceptionHandler usageError(CliContext context) {
        return (error, args) -> {
            CommandLine command = error.getCommandLine();
            String name = command.getCommandSpec().qualifiedName();
            context.err().println(name + ": " + message(error) + " (" + name + " --help lists the options)");
            return ExitCode.USAGE;
        };
    }

    private static String message(ParameterException error) {
        String text = String.valueOf(error.getMessage()).lines().findFirst().orElse("wrong options");
        if (error instanceof UnmatchedArgumentException unmatched) {
            List<String> suggestions = unmatched.getSuggestions();
            if (!suggestions.isEmpty()) {
                return text + "; did you mean " + String.join(" or ", suggestions.subList(0, 1)) + "?";
            }
        }
        return text;
    }

    private static int report(Exception error, CommandLine command, CliContext context) {
        String name = command.getCommandSpec().qualifiedName();
        boolean verbose = Verbosity.of(command);
        if (error instanceof CommandFailure failure) {
            context.err().println(name + ": " + failure.getMessage());
            if (verbose) {
                failure.printStackTrace(context.err());
            }
            return failure.exitCode();
        }
        context.err().println(name + ": " + error + (verbose ? "" : " (--verbose shows where)"));
        if (verbose) {
            error.printStackTrace(context.err());
        }
        return ExitCode.FAILURE;
    }

    /** {@code bin/weir} without a command. */
    @Command(
            name = "weir",
            description = "A query gateway for DuckDB: HTTP and Arrow Flight SQL with admission control.",
            synopsisSubcommandLabel = "COMMAND",
            mixinStandardHelpOptions = true,
            versionProvider = WeirVersion.class,
            footer = {
                "",
                "Exit codes: 0 done, 1 failed, 2 wrong options, 130 interrupted.",
                "weir COMMAND --help tells more about a command."
            })
    static final class WeirCommand implements Runnable {

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec spec;

        @Override
        public void run() {
            throw new ParameterException(
                    spec.commandLine(),
                    "which command? serve, worker, query, health, drain, user, secret, tpch or simulate");
        }
    }
}
