package dev.weir.gateway.cli;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The option that every command has, besides help. */
final class Verbosity {

    @Option(
            names = {"-X", "--verbose"},
            description = "Show stack traces of failures.")
    private boolean verbose;

    boolean verbose() {
        return verbose;
    }

    /** Whether the command was called with it. */
    static boolean of(CommandLine command) {
        CommandLine.ParseResult parsed = command.getParseResult();
        return parsed != null && parsed.matchedOptionValue("--verbose", false);
    }
}
