package dev.weir.engine.cluster;

import dev.weir.engine.EngineInfo;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a gateway, and how it watches them.
 *
 * @param workers those that are named; names are unique
 * @param discovery a name behind which more are found; null for none
 * @param secret shared with all of them; at least 16 bytes
 * @param info what they run, until the first of them has told
 * @param health when a worker counts as lost, and as back
 * @param connectTimeout most time for a connection
 * @param heartbeat how often an open query tells its worker that it is still wanted
 * @param resume how long a broken stream is tried to be resumed on its worker
 */
public record ClusterSettings(
        List<WorkerAddress> workers,
        @Nullable Discovery discovery,
        byte[] secret,
        EngineInfo info,
        Health health,
        Duration connectTimeout,
        Duration heartbeat,
        Duration resume) {

    /**
     * A name whose every address is a worker.
     *
     * @param host the name
     * @param template port, trust, server name and shares of each worker found; its name and host are not used
     * @param refresh how often the name is looked up
     */
    public record Discovery(String host, WorkerAddress template, Duration refresh) {}

    /**
     * When a worker counts as lost, and as back.
     *
     * @param interval between two checks of a worker; one that failed lately is checked four times as often
     * @param timeout most time for one check
     * @param downAfter failures in a row, of checks and queries, after which a worker is down
     * @param upAfter checks in a row that must succeed before a worker that was down gets queries again
     * @param rampUp time over which it gets its full share then
     */
    public record Health(Duration interval, Duration timeout, int downAfter, int upAfter, Duration rampUp) {

        /** A killed worker is down within a second, one that hangs within ten. */
        public static final Health DEFAULT =
                new Health(Duration.ofSeconds(1), Duration.ofSeconds(3), 3, 2, Duration.ofSeconds(5));
    }
}
