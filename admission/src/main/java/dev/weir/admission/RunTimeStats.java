package dev.weir.admission;

import java.time.Duration;
import java.util.OptionalLong;

/**
 * What was learned about run times: of a statement, of a user's queries or of a group's.
 *
 * @param scope what the figures are of
 * @param key the fingerprint in hexadecimal, or the user's or group's name
 * @param runs counted so far
 * @param mean decaying, about the last 10 to 20 runs
 * @param p50 of the last 16 runs
 * @param p90 of the last 16 runs
 * @param queryClass what a query known only by this would be taken for
 * @param peakBytes the most memory that one of the last 16 runs had whose memory was measured; of statements only
 * @param learnedBytes what a run is given by that, where memory is learned and the default is not less; empty while too
 *     few runs were measured
 */
public record RunTimeStats(
        Scope scope,
        String key,
        long runs,
        Duration mean,
        Duration p50,
        Duration p90,
        QueryClass queryClass,
        OptionalLong peakBytes,
        OptionalLong learnedBytes) {

    /** Figures without measured memory. */
    public RunTimeStats(
            Scope scope, String key, long runs, Duration mean, Duration p50, Duration p90, QueryClass queryClass) {
        this(scope, key, runs, mean, p50, p90, queryClass, OptionalLong.empty(), OptionalLong.empty());
    }

    /** What figures are kept of. */
    public enum Scope {
        STATEMENT,
        USER,
        GROUP
    }
}
