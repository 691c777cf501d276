package dev.weir.gateway.config;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * The limits file: YAML with the keys below {@code weir.admission}. Small, so it is compared by its bytes. Not
 * thread-safe.
 */
final class LimitsFile {

    private static final int MOST_BYTES = 1 << 20;

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Path path;

    /** What was read or written last, good or not. */
    private byte[] seen = {};

    LimitsFile(Path path) {
        this.path = path;
    }

    /** The file is there, and is none. */
    static final class BrokenFileException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenFileException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    Path path() {
        return path;
    }

    /** Whether it is another one than was read or written last. */
    boolean hasChanged() throws BrokenFileException {
        return !Arrays.equals(seen, bytes());
    }

    /** Its tree; empty without a file. */
    @SuppressWarnings("unchecked") // a tree of maps by its root
    Map<String, Object> read() throws BrokenFileException {
        seen = bytes();
        if (new String(seen, StandardCharsets.UTF_8).isBlank()) {
            return Map.of();
        }
        try {
            JsonNode root = YAML.readTree(seen);
            if (root == null || root.isNull() || root.isMissingNode()) {
                return Map.of();
            }
            if (!root.isObject()) {
                throw new BrokenFileException(path + " is no YAML of keys and values", new IOException("not a map"));
            }
            return (Map<String, Object>) YAML.treeToValue(root, Map.class);
        } catch (JacksonException e) {
            throw new BrokenFileException(path + " is no YAML: " + firstLine(e), e);
        }
    }

    private static String firstLine(JacksonException e) {
        String message = e.getOriginalMessage();
        return message == null
                ? "it cannot be read"
                : message.lines().findFirst().orElse("");
    }

    /** Replaces it as a whole; comments go. */
    void write(Map<String, Object> tree) {
        byte[] bytes = YAML.writeValueAsBytes(tree);
        Path part = path.resolveSibling(path.getFileName() + ".part");
        try {
            Files.write(part, bytes);
            Files.move(part, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            seen = bytes;
        } catch (IOException e) {
            throw new UncheckedIOException("the limits file cannot be written", e);
        }
    }

    private byte[] bytes() throws BrokenFileException {
        try {
            if (Files.size(path) > MOST_BYTES) {
                throw new BrokenFileException(path + " is larger than 1 MiB", new IOException("too large"));
            }
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new BrokenFileException(path + " cannot be read", e);
        }
    }
}
