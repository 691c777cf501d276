package dev.weir.gateway.metrics;

import java.nio.file.Path;

/**
 * Where the query log is written.
 *
 * @param file the current file; rotated ones lie beside it, with a number before the extension
 * @param maxBytes the file is rotated when it has reached this size, in bytes
 * @param maxFiles rotated files kept beside the current one, at least 1
 */
public record QueryLogSettings(Path file, long maxBytes, int maxFiles) {}
