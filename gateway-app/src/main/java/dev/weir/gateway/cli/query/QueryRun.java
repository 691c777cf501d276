package dev.weir.gateway.cli.query;

import java.io.BufferedOutputStream;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * Runs a query to its end and writes the result. When the process is told to end meanwhile (Ctrl-C), the query is
 * cancelled on the gateway first.
 */
public final class QueryRun {

    /** What a shell gives for a program that wrote to a closed pipe. */
    private static final int BROKEN_PIPE = 141;

    private static final int COPY_BYTES = 64 << 10;

    private final QueryClient client;
    private final QueryClient.Query query;
    private final ResultFormat format;
    private final int maxWidth;
    private final PrintStream err;
    private volatile boolean ending;

    /** @param maxWidth of values in tables, in columns of the terminal; 0 for any */
    public QueryRun(QueryClient client, QueryClient.Query query, ResultFormat format, int maxWidth, PrintStream err) {
        this.client = client;
        this.query = query;
        this.format = format;
        this.maxWidth = maxWidth;
        this.err = err;
    }

    /**
     * @param file to write to instead of {@code out}; null for {@code out}
     * @return the exit code
     */
    public int run(OutputStream out, @Nullable Path file) throws QueryFailure, InterruptedException {
        Thread cancelAtExit = new Thread(this::cancelAtExit, "weir-query-cancel");
        Runtime.getRuntime().addShutdownHook(cancelAtExit);
        try {
            return file == null ? toStream(out) : toFile(file);
        } catch (QueryFailure | RuntimeException e) {
            waitIfEnding();
            throw e;
        } finally {
            removeHook(cancelAtExit);
        }
    }

    private void cancelAtExit() {
        ending = true;
        err.println("cancelling the query");
        client.cancel();
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs.
        }
    }

    /** The cancel breaks the result off: that is no failure to report. The process ends when its hooks are done. */
    private void waitIfEnding() throws InterruptedException {
        if (ending) {
            Thread.currentThread().join();
        }
    }

    private int toStream(OutputStream out) throws QueryFailure, InterruptedException {
        Sink sink = new Sink(out);
        try (InputStream result = client.run(query)) {
            write(result, sink);
            return 0;
        } catch (IOException e) {
            if (sink.failed) {
                // The reader has seen enough. Closing the result cancelled the query.
                return BROKEN_PIPE;
            }
            throw brokenOff(e);
        }
    }

    private int toFile(Path file) throws QueryFailure, InterruptedException {
        Path partial = file.resolveSibling(file.getFileName() + ".partial");
        try (InputStream result = client.run(query)) {
            try (OutputStream out = Files.newOutputStream(partial)) {
                Sink sink = new Sink(out);
                try {
                    write(result, sink);
                } catch (IOException e) {
                    if (sink.failed) {
                        throw e;
                    }
                    throw brokenOff(e);
                }
            }
            Files.move(partial, file, StandardCopyOption.REPLACE_EXISTING);
            return 0;
        } catch (IOException e) {
            throw new QueryFailure("cannot write " + file + ": " + e.getMessage(), e);
        } finally {
            deleteQuietly(partial);
        }
    }

    private static void deleteQuietly(Path partial) {
        try {
            Files.deleteIfExists(partial);
        } catch (IOException e) {
            // Left behind under a name that says so.
        }
    }

    private void write(InputStream result, Sink sink) throws IOException {
        if (format == ResultFormat.table) {
            try (Writer text = new BufferedWriter(
                    new OutputStreamWriter(new Uncloseable(sink), StandardCharsets.UTF_8), COPY_BYTES)) {
                JsonRows.print(result, text, maxWidth);
            }
        } else {
            byte[] buffer = new byte[COPY_BYTES];
            for (int read = result.read(buffer); read >= 0; read = result.read(buffer)) {
                sink.write(buffer, 0, read);
            }
        }
        sink.flush();
    }

    private QueryFailure brokenOff(IOException error) throws InterruptedException {
        waitIfEnding();
        String reason = client.reasonOfFailure();
        return new QueryFailure(
                reason != null
                        ? reason + " (the result above is not complete)"
                        : "the connection broke in the middle of the result, which is not complete: "
                                + error.getMessage(),
                error);
    }

    /** Knows whether a failure came from here. */
    private static final class Sink extends OutputStream {

        private final OutputStream out;
        private boolean failed;

        Sink(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                out.write(bytes, offset, length);
            } catch (IOException e) {
                failed = true;
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            try {
                out.flush();
            } catch (IOException e) {
                failed = true;
                throw e;
            }
        }
    }

    /** Lets the writer be closed, and so flushed, without closing standard output. */
    private static final class Uncloseable extends BufferedOutputStream {

        Uncloseable(OutputStream out) {
            super(out, COPY_BYTES);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
