package dev.weir.gateway.cli.simulate;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Reads traces of either format, which the content tells. */
final class TraceFiles {

    /** A description is small; a log can begin with the lines that the gateway writes at its start. */
    private static final int LINES_LOOKED_AT = 1_000;

    private TraceFiles() {}

    static Trace read(Path file, OptionalLong seed) {
        try {
            if (isQueryLog(file)) {
                try (Stream<String> lines = Files.lines(file)) {
                    return QueryLogReader.read(file.toString(), lines);
                }
            }
            return GeneratedTrace.read(file.toString(), Files.readString(file), seed);
        } catch (UncheckedIOException e) {
            // Streams of lines wrap theirs.
            throw unreadable(file, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static TraceException unreadable(Path file, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new TraceException(file + ": there is no such file", e);
        }
        if (e instanceof CharacterCodingException) {
            return new TraceException(file + ": is not UTF-8", e);
        }
        return new TraceException(file + ": cannot be read: " + e.getMessage(), e);
    }

    private static boolean isQueryLog(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.limit(LINES_LOOKED_AT).anyMatch(QueryLogReader::isQueryLog);
        }
    }
}
