package dev.weir.gateway.metrics;

import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Rotation by number: {@code queries.jsonl} becomes {@code queries.1.jsonl}, that one {@code queries.2.jsonl}, and the
 * last one goes. Called under the appender's lock.
 *
 * <p>Logback's own policy takes the path for a pattern, in which a percent sign or the end {@code .gz} has a meaning,
 * and keeps at most 20 files.
 */
final class NumberedFiles implements RollingPolicy {

    private final Path file;
    private final int maxFiles;
    private volatile boolean started;

    /**
     * @param file the current file, an absolute path
     * @param maxFiles files kept beside it, at least 1
     */
    NumberedFiles(Path file, int maxFiles) {
        this.file = file;
        this.maxFiles = maxFiles;
    }

    @Override
    public void rollover() throws RolloverFailure {
        try {
            int last = 1;
            while (last < maxFiles && Files.exists(numbered(last))) {
                last++;
            }
            for (int number = last; number > 1; number--) {
                Files.move(numbered(number - 1), numbered(number), StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(file, numbered(1), StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new RolloverFailure("the query log cannot be rotated", e);
        }
    }

    private Path numbered(int number) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return file.resolveSibling(
                dot > 0 ? name.substring(0, dot) + "." + number + name.substring(dot) : name + "." + number);
    }

    @Override
    public String getActiveFileName() {
        return file.toString();
    }

    @Override
    public CompressionMode getCompressionMode() {
        return CompressionMode.NONE;
    }

    @Override
    public void setParent(FileAppender<?> appender) {}

    @Override
    public void start() {
        started = true;
    }

    @Override
    public void stop() {
        started = false;
    }

    @Override
    public boolean isStarted() {
        return started;
    }
}
