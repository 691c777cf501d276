package dev.weir.gateway.cli.simulate;

import java.util.SplittableRandom;
import java.util.function.LongConsumer;

/**
 * A user of a generated trace at work. Has its random numbers for itself, separate ones for arrivals and run times: the
 * n-th query takes the same time under every policy.
 */
final class GeneratedUser {

    private final TraceSource source;
    private final String name;
    private final EventClock clock;
    private final Trace.Submission submission;
    private final SplittableRandom arrivalTimes;
    private final SplittableRandom serviceTimes;
    private long asked;

    /** @param random taken from for the user's own random numbers */
    GeneratedUser(
            TraceSource source, int number, EventClock clock, Trace.Submission submission, SplittableRandom random) {
        this.source = source;
        this.name = source.userName(number);
        this.clock = clock;
        this.submission = submission;
        this.arrivalTimes = random.split();
        SplittableRandom drawn = random.split();
        this.serviceTimes = source.service().seed().isPresent()
                ? new SplittableRandom(source.service().seed().getAsLong() + number)
                : drawn;
    }

    void start() {
        Arrivals arrivals = source.arrivals();
        if (arrivals instanceof Arrivals.Closed closed) {
            for (int i = 0; i < closed.clients(); i++) {
                clock.schedule(() -> askAgain(closed.thinkNanos()), 0);
            }
        } else if (arrivals instanceof Arrivals.Every every) {
            Long first = every.firstNanos();
            clock.schedule(
                    () -> askEvery(every.periodNanos()),
                    first == null ? arrivalTimes.nextLong(every.periodNanos()) : first);
        } else if (arrivals instanceof Arrivals.Poisson poisson) {
            clock.schedule(() -> askAtRandom(poisson.perNano()), gap(poisson.perNano()));
        } else if (arrivals instanceof Arrivals.AtStart atStart) {
            clock.schedule(() -> askAtOnce(atStart.queries()), 0);
        }
    }

    private void askAgain(long thinkNanos) {
        ask(retryNanos -> clock.schedule(() -> askAgain(thinkNanos), Math.max(thinkNanos, retryNanos)));
    }

    private void askEvery(long periodNanos) {
        clock.schedule(() -> askEvery(periodNanos), periodNanos);
        ask(retryNanos -> {});
    }

    private void askAtRandom(double perNano) {
        clock.schedule(() -> askAtRandom(perNano), gap(perNano));
        ask(retryNanos -> {});
    }

    private void askAtOnce(int queries) {
        for (int i = 0; i < queries; i++) {
            ask(retryNanos -> {});
        }
    }

    private long gap(double perNano) {
        return (long) Math.min(Long.MAX_VALUE / 2.0, arrivalTimes.nextExponential() / perNano);
    }

    private void ask(LongConsumer whenEnded) {
        long index = asked++;
        String statement = source.statement().equals(TraceSource.VARIED) ? name + "#" + index : source.statement();
        submission.submit(
                new Ask(
                        name,
                        source.group(),
                        fingerprint(statement),
                        source.memoryBytes(),
                        source.service().nanos(index, serviceTimes)),
                whenEnded);
    }

    /** FNV-1a, 64 bits: a name's own number. */
    static long fingerprint(String name) {
        long hash = 0xcbf29ce484222325L;
        for (int i = 0; i < name.length(); i++) {
            hash = (hash ^ name.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }
}
