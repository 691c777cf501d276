package dev.weir.gateway.query;

import dev.weir.admission.RunPermit;
import dev.weir.engine.ArrowResult;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Owner of a catalog answer's stream: it has a place in a lane and a deadline, but is no query of its own. */
final class LaneStream implements RunStream.Owner {

    private final Timers timers;
    private final RunPermit place;
    private final AtomicReference<Timers.@Nullable Timer> deadline = new AtomicReference<>();

    LaneStream(Timers timers, RunPermit place) {
        this.timers = timers;
        this.place = place;
    }

    /** Opens the stream; it is aborted when the deadline passes before it was read. */
    RunStream open(ArrowResult result, java.time.Duration timeout) {
        RunStream stream = new RunStream(this, result);
        deadline.set(timers.schedule(timeout, () -> stream.abort(Lane.timedOut(timeout))));
        result.stopped().whenComplete((nothing, never) -> {
            Timers.Timer timer = deadline.getAndSet(null);
            if (timer != null) {
                timer.cancel();
            }
            place.close(RunPermit.Outcome.FINISHED);
        });
        return stream;
    }

    @Override
    public long nanoTime() {
        return timers.nanoTime();
    }

    @Override
    public void handed(long rows) {}

    @Override
    public void sent(long bytes) {}

    @Override
    public GatewayException failed(Throwable thrown) {
        return Failures.of(thrown, null, true);
    }

    @Override
    public void readerDone(boolean complete) {}
}
