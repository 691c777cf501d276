package dev.weir.admission;

import java.time.Duration;

/** A user that keeps a number of queries at the gate, each of which takes a fixed time, and what they used. */
final class Load {

    final long bytes;
    private final Gate gate;
    private final String user;
    private final Duration runTime;
    private boolean stopped;
    private long busyNanos;
    private long measuredFrom;

    Load(Gate gate, String user, Duration runTime, long bytes) {
        this.gate = gate;
        this.user = user;
        this.runTime = runTime;
        this.bytes = bytes;
    }

    Load keep(int queries) {
        for (int i = 0; i < queries; i++) {
            next();
        }
        return this;
    }

    void stop() {
        stopped = true;
    }

    void startMeasuring() {
        busyNanos = 0;
        measuredFrom = gate.time.elapsed().toNanos();
    }

    /** Seconds of run time used since measuring began, of queries that have ended. */
    double busySeconds() {
        return busyNanos / 1e9;
    }

    private void next() {
        gate.submit(user, bytes).admission.permit().thenAccept(permit -> {
            long begun = gate.time.elapsed().toNanos();
            gate.time.schedule(
                    () -> {
                        busyNanos += gate.time.elapsed().toNanos() - Math.max(begun, measuredFrom);
                        if (!stopped) {
                            next();
                        }
                        permit.close(RunPermit.Outcome.FINISHED);
                    },
                    runTime.toNanos());
        });
    }
}
