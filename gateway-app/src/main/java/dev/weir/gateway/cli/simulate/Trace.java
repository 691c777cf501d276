package dev.weir.gateway.cli.simulate;

import java.util.function.LongConsumer;

/** Where queries come from. Can be played any number of times, the same each time. */
interface Trace {

    /** Plays until its last query has ended. */
    long UNTIL_DONE = Long.MAX_VALUE;

    /** Nanoseconds at the start that are simulated but not measured. */
    long warmUpNanos();

    /** When the simulation ends, the warm-up included, or {@link #UNTIL_DONE}. */
    long endNanos();

    /** Remarks that a reader of the figures needs to know, such as what was left out. */
    String remark();

    /** Schedules the queries. Nothing may be submitted within this call. */
    void play(EventClock clock, Submission submission);

    /** Takes queries. */
    @FunctionalInterface
    interface Submission {

        /** @param whenEnded told once, with the nanoseconds that its client should wait at least before the next query */
        void submit(Ask ask, LongConsumer whenEnded);
    }
}
