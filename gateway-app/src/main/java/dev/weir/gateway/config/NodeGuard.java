package dev.weir.gateway.config;

import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the machine's memory from running out: the engine's own limit does not hold everything that queries allocate.
 * Above the high-water mark nothing is started and with each look one query is ended, the newest first of those that ran
 * when memory began to rise: one of them makes it rise, and the newest loses least. Below the low-water mark things are
 * as before. Looks are taken by one thread.
 */
final class NodeGuard {

    /** What the guard does to queries. */
    interface Shedder {
        /**
         * Ends the newest of the queries that run since a moment, else the newest of all.
         *
         * @param moment on the guard's clock, in nanoseconds
         * @return its id; empty when nothing runs
         */
        Optional<String> endNewest(long moment, GatewayException failure);
    }

    private static final Logger log = LoggerFactory.getLogger(NodeGuard.class);

    private static final double LOW_WATER_BELOW = 0.05;

    /** Memory that goes up and down by this share of the limit stands still. */
    private static final double STILL = 0.01;

    /** Memory that has not risen for this long stands still, too. */
    private static final long STILL_NANOS = 5_000_000_000L;

    private final Supplier<Optional<NodeMemory.Use>> memory;
    private final LongSupplier clock;
    private final DoubleSupplier highWater;
    private final Consumer<Boolean> hold;
    private final Shedder shedder;

    private boolean started;
    private boolean held;
    private boolean rising;
    private double level;
    private double top;
    private long topAt;
    private long risingSince;

    /**
     * @param memory reads what is in use
     * @param clock the one of the queries' timers
     * @param highWater share of the limit, more than 0 and at most 1
     * @param hold told true when nothing may be started, and false again
     */
    NodeGuard(
            Supplier<Optional<NodeMemory.Use>> memory,
            LongSupplier clock,
            DoubleSupplier highWater,
            Consumer<Boolean> hold,
            Shedder shedder) {
        this.memory = memory;
        this.clock = clock;
        this.highWater = highWater;
        this.hold = hold;
        this.shedder = shedder;
    }

    /** One look, four times a second. */
    void look() {
        memory.get().ifPresent(use -> look(use.share(), clock.getAsLong()));
    }

    private void look(double share, long now) {
        follow(share, now);
        double high = highWater.getAsDouble();
        if (share > high) {
            if (!held) {
                held = true;
                hold.accept(true);
                log.warn("Memory is short ({} % in use): nothing is started", Math.round(share * 100));
            }
            shedder.endNewest(rising ? risingSince : now, failure(high))
                    .ifPresent(id -> log.warn("Query {} was ended because memory is short", id));
        } else if (held && share < high - LOW_WATER_BELOW) {
            held = false;
            hold.accept(false);
            log.info("Memory is there again: queries are started");
        }
    }

    /** Keeps when memory began to rise from a level where it stood. */
    private void follow(double share, long now) {
        boolean still = !started || share <= level + STILL || (share <= top + STILL && now - topAt > STILL_NANOS);
        if (still) {
            started = true;
            rising = false;
            // A slow rise must not drag the level along with it, step by step below what counts as still.
            level = share <= level || share > level + STILL ? share : level;
            top = share;
            topAt = now;
            return;
        }
        if (!rising) {
            rising = true;
            risingSince = now;
        }
        if (share > top + STILL) {
            top = share;
            topAt = now;
        }
    }

    private static GatewayException failure(double high) {
        return new GatewayException(
                GatewayErrorCode.MEMORY_LIMIT,
                "The query was ended because the machine's memory passed memory.high-water (" + high
                        + "); ask for less at once, or try again when fewer queries run.",
                ErrorDetails.ofLimit("global", "memory.high-water", Double.toString(high)));
    }
}
