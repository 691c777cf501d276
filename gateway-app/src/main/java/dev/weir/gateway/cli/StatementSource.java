package dev.weir.gateway.cli;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a statement comes from: the command line, a file or standard input. */
final class StatementSource {

    /** More than a gateway takes, so that its own message names its limit. */
    private static final int MAX_BYTES = 64 << 20;

    private final CliContext context;

    StatementSource(CliContext context) {
        this.context = context;
    }

    String read(@Nullable String argument, @Nullable Path file) {
        if (argument != null && file != null) {
            throw CommandFailure.usage("give the statement as an argument or by --file, not both");
        }
        String sql = text(argument, file);
        if (sql.isBlank()) {
            throw CommandFailure.usage("the statement is empty");
        }
        return sql;
    }

    private String text(@Nullable String argument, @Nullable Path file) {
        if (file != null && !file.toString().equals("-")) {
            try {
                return utf8(Files.readAllBytes(file));
            } catch (IOException e) {
                throw CommandFailure.failure("cannot read " + file, e);
            }
        }
        if (argument != null && !argument.equals("-")) {
            return argument;
        }
        if (argument == null && file == null) {
            throw CommandFailure.usage("no statement: give it as an argument, by --file FILE, or - for standard input");
        }
        try {
            return utf8(context.in().readNBytes(MAX_BYTES));
        } catch (IOException e) {
            throw CommandFailure.failure("cannot read standard input", e);
        }
    }

    private static String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw CommandFailure.failure("the statement is not UTF-8", e);
        }
    }
}
