package dev.weir.gateway.http;

import java.nio.file.Path;
import java.time.Duration;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the HTTP front.
 *
 * @param maxBodySize largest request body
 * @param resultsDirectory for spooled results; files of an earlier process in it are deleted
 * @param resultsTimeToLive a spooled result is deleted this long after it is complete
 * @param maxResultBytesPerUser spooled bytes of one user
 * @param minFreeDisk spooling stops when less is free
 * @param maxPartitions most partitions of a result
 * @param clientStallTimeout longest time without progress of a client that reads a spooled result
 */
public record HttpFrontSettings(
        DataSize maxBodySize,
        Path resultsDirectory,
        Duration resultsTimeToLive,
        DataSize maxResultBytesPerUser,
        DataSize minFreeDisk,
        int maxPartitions,
        Duration clientStallTimeout) {}
