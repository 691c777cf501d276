package dev.weir.gateway.cli;

import java.io.BufferedInputStream;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command sees of the process it runs in. Tests give their own.
 *
 * @param in standard input
 * @param out standard output, for results only; unbuffered, and unlike {@code System.out} it reports a broken pipe
 * @param err standard error, for everything said to the user
 * @param terminal whether {@code err} is a terminal, as the launcher saw it
 * @param environment environment variables
 * @param prompt asks for a secret
 */
record CliContext(
        InputStream in,
        OutputStream out,
        PrintStream err,
        boolean terminal,
        Map<String, String> environment,
        PasswordPrompt prompt) {

    /** Asks the user for a secret that is not shown. */
    interface PasswordPrompt {
        /** Null when there is nobody to ask. */
        @Nullable
        String ask(String question);
    }

    static CliContext ofProcess() {
        return new CliContext(
                // Buffered: FileInputStream's own readNBytes fails on a pipe in Java 17.
                new BufferedInputStream(new FileInputStream(FileDescriptor.in)),
                new FileOutputStream(FileDescriptor.out),
                new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
                Boolean.getBoolean("weir.terminal"),
                System.getenv(),
                CliContext::askConsole);
    }

    private static @Nullable String askConsole(String question) {
        Console console = System.console();
        if (console == null) {
            return null;
        }
        char[] answer = console.readPassword("%s", question);
        return answer == null ? null : new String(answer);
    }

    /** Text for the results' stream. */
    PrintStream print() {
        return new PrintStream(out, true, StandardCharsets.UTF_8);
    }

    /** An environment variable; null when unset or empty. */
    @Nullable
    String variable(String name) {
        String value = environment.get(name);
        return value == null || value.isEmpty() ? null : value;
    }
}
