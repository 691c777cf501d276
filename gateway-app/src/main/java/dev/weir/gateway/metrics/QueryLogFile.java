package dev.weir.gateway.metrics;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.recovery.RecoveryListener;
import ch.qos.logback.core.recovery.ResilientOutputStreamBase;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import io.micrometer.core.instrument.Counter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;

/**
 * A rotated file behind a bounded queue, in a Logback context of its own: several gateways in one process do not share
 * it, and the configuration of the ordinary log does not touch it. Writers never wait: a line that finds the queue full,
 * or the disk failing, is lost and counted.
 */
final class QueryLogFile implements AutoCloseable {

    /** About 10 MB of lines. */
    private static final int QUEUE = 10_000;

    private static final int FLUSH_AT_STOP_MILLIS = 5_000;

    private final LoggerContext context;
    private final Logger logger;

    private QueryLogFile(LoggerContext context, Logger logger) {
        this.context = context;
        this.logger = logger;
    }

    /**
     * Opens the file, and makes it and its directory (for the owner only) when missing.
     *
     * @param lost counts the lines that could not be written
     * @throws IOException if the file cannot be written or the directory cannot take rotated files
     */
    static QueryLogFile open(QueryLogSettings settings, Counter lost) throws IOException {
        Path file = settings.file().toAbsolutePath().normalize();
        check(file);
        LoggerContext context = new LoggerContext();
        context.setName("weir.query");
        context.setMDCAdapter(new LogbackMDCAdapter());
        RollingFileAppender<ILoggingEvent> rolling = rolling(context, file, settings, lost);
        AsyncAppender queue = new CountingQueue(lost);
        queue.setContext(context);
        queue.setName("weir.query");
        queue.setQueueSize(QUEUE);
        queue.setDiscardingThreshold(0);
        queue.setNeverBlock(true);
        queue.setMaxFlushTime(FLUSH_AT_STOP_MILLIS);
        queue.addAppender(rolling);
        queue.start();
        Logger logger = context.getLogger("weir.query");
        logger.setLevel(Level.INFO);
        logger.setAdditive(false);
        logger.addAppender(queue);
        context.start();
        return new QueryLogFile(context, logger);
    }

    org.slf4j.Logger logger() {
        return logger;
    }

    /** Writes what is queued, for at most a few seconds, and closes the file. */
    @Override
    public void close() {
        context.stop();
    }

    private static void check(Path file) throws IOException {
        Path directory = Objects.requireNonNull(file.getParent(), "a file has a directory");
        if (!Files.isDirectory(directory)) {
            if (FileSystems.getDefault().supportedFileAttributeViews().contains("posix")) {
                Files.createDirectories(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } else {
                Files.createDirectories(directory);
            }
        }
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)
                .close();
        if (!Files.isWritable(directory)) {
            throw new IOException("the directory is not writable, which rotation needs");
        }
    }

    private static RollingFileAppender<ILoggingEvent> rolling(
            LoggerContext context, Path file, QueryLogSettings settings, Counter lost) throws IOException {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setPattern("%msg%n");
        encoder.start();
        SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
        size.setContext(context);
        size.setMaxFileSize(new FileSize(settings.maxBytes()));
        // By default the size is looked at once a minute, in which a busy gateway writes gigabytes.
        size.setCheckIncrement(Duration.buildByMilliseconds(0));
        size.start();
        RollingFileAppender<ILoggingEvent> appender = new CountingFile(lost);
        appender.setContext(context);
        appender.setName("weir.query.file");
        appender.setFile(file.toString());
        appender.setEncoder(encoder);
        appender.setTriggeringPolicy(size);
        NumberedFiles rotation = new NumberedFiles(file, settings.maxFiles());
        rotation.start();
        appender.setRollingPolicy(rotation);
        appender.start();
        if (!appender.isStarted()) {
            throw new IOException("the file cannot be opened for the query log");
        }
        return appender;
    }

    /** Logback drops without a word; only this class adds to the queue, so the capacity it sees can only grow. */
    private static final class CountingQueue extends AsyncAppender {

        private final Counter lost;

        CountingQueue(Counter lost) {
            this.lost = lost;
        }

        @Override
        protected synchronized void append(ILoggingEvent line) {
            if (getRemainingCapacity() == 0) {
                lost.increment();
            } else {
                super.append(line);
            }
        }
    }

    /** Logback goes on after a write that failed and tries the file again with growing pauses; this counts the lines. */
    private static final class CountingFile extends RollingFileAppender<ILoggingEvent> implements RecoveryListener {

        private final Counter lost;

        /** Touched under the appender's write lock only, but for the start. */
        private volatile boolean failing;

        CountingFile(Counter lost) {
            this.lost = lost;
        }

        @Override
        public void setOutputStream(OutputStream stream) {
            failing = false;
            if (stream instanceof ResilientOutputStreamBase resilient) {
                resilient.addRecoveryListener(this);
            }
            super.setOutputStream(stream);
        }

        @Override
        protected void writeOut(ILoggingEvent line) throws IOException {
            // The line that makes Logback open the file again is not written either.
            boolean failed = failing;
            super.writeOut(line);
            if (failed || failing) {
                lost.increment();
            }
        }

        @Override
        public void newFailure(IOException failure) {
            failing = true;
        }

        @Override
        public void recoveryOccured() {
            failing = false;
        }
    }
}
