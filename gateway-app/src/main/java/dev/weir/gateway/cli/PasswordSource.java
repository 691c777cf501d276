package dev.weir.gateway.cli;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Where commands get passwords from: standard input when asked to, else an environment variable, else the user. */
final class PasswordSource {

    private static final int MAX_BYTES = 8192;

    private final CliContext context;
    private final String variable;

    /** @param variable the environment variable that holds one */
    PasswordSource(CliContext context, String variable) {
        this.context = context;
        this.variable = variable;
    }

    /**
     * An existing password.
     *
     * @param question for the user, without a colon
     */
    String existing(String question) {
        String given = context.variable(variable);
        if (given != null) {
            return given;
        }
        String answer = context.prompt().ask(question + ": ");
        if (answer == null) {
            throw CommandFailure.usage("no password: set " + variable + ", or run it in a terminal to be asked");
        }
        return answer;
    }

    /** A new password, asked for twice. */
    String chosen(String user, boolean fromStdin) {
        if (fromStdin) {
            return firstLine();
        }
        String given = context.variable(variable);
        if (given != null) {
            return given;
        }
        String first = context.prompt().ask("New password for " + user + ": ");
        if (first == null) {
            throw CommandFailure.usage("no password: give it by --password-stdin or " + variable
                    + ", or run it in a terminal to be asked");
        }
        if (!first.equals(context.prompt().ask("Again: "))) {
            throw CommandFailure.failure("the two passwords differ");
        }
        return first;
    }

    /** Standard input up to its first line end. */
    private String firstLine() {
        String text = utf8(readStdin());
        int end = text.indexOf('\n');
        String line = end < 0 ? text : text.substring(0, end);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
    }

    private byte[] readStdin() {
        try {
            return context.in().readNBytes(MAX_BYTES);
        } catch (IOException e) {
            throw CommandFailure.failure("cannot read the password from standard input", e);
        }
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(java.nio.ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw CommandFailure.failure("the password is not UTF-8", e);
        }
    }

    /** Splits {@code user[:password]}; the password is null when there is none. */
    static UserAndPassword split(String text) {
        int colon = text.indexOf(':');
        return colon < 0
                ? new UserAndPassword(text, null)
                : new UserAndPassword(text.substring(0, colon), text.substring(colon + 1));
    }

    /** A user and, perhaps, a password. */
    record UserAndPassword(String user, @Nullable String password) {}
}
