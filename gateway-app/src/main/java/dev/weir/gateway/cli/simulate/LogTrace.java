package dev.weir.gateway.cli.simulate;

import java.util.Iterator;
import java.util.List;

/**
 * The gateway's query log, played again: the same queries at the same times, running for as long as they ran then.
 *
 * @param entries in the order of submission, the first at 0
 * @param remark what was left out or estimated
 */
record LogTrace(List<Entry> entries, String remark) implements Trace {

    /** A query and when it was submitted, in nanoseconds since the first. */
    record Entry(long atNanos, Ask ask) {}

    LogTrace {
        entries = List.copyOf(entries);
    }

    @Override
    public long warmUpNanos() {
        return 0;
    }

    @Override
    public long endNanos() {
        return UNTIL_DONE;
    }

    @Override
    public void play(EventClock clock, Submission submission) {
        next(entries.iterator(), clock, submission);
    }

    private static void next(Iterator<Entry> rest, EventClock clock, Submission submission) {
        if (rest.hasNext()) {
            Entry entry = rest.next();
            clock.schedule(
                    () -> {
                        next(rest, clock, submission);
                        submission.submit(entry.ask(), retryNanos -> {});
                    },
                    entry.atNanos() - clock.nanoTime());
        }
    }
}
