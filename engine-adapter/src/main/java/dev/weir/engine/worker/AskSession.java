package dev.weir.engine.worker;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import io.grpc.SynchronizationContext;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A question with one answer. It ends with its call: nobody resumes it. */
final class AskSession<T> implements Session {

    private final Runs runs;
    private final Peer peer;
    private final SynchronizationContext sync;
    private final SilenceWatch silence;
    private @Nullable EngineCall<T> call;

    AskSession(Runs runs, Peer peer) {
        this.runs = runs;
        this.peer = peer;
        this.sync = new SynchronizationContext((thread, thrown) -> peer.fail(Failures.of(thrown)));
        this.silence = new SilenceWatch(sync, runs.timer(), runs.settings().heartbeatTimeout(), this::cancel);
    }

    /** Asks the engine; the answer is sent when the engine is idle again. */
    void begin(Supplier<EngineCall<T>> start, Function<@Nullable T, Frame> answer) {
        sync.execute(() -> {
            silence.start();
            runs.add(this);
            EngineCall<T> started = start.get();
            call = started;
            started.result()
                    .whenComplete((value, failure) -> started.stopped()
                            .whenComplete((nothing, none) -> sync.execute(() -> end(value, failure, answer))));
        });
    }

    private void end(@Nullable T value, @Nullable Throwable failure, Function<@Nullable T, Frame> answer) {
        silence.stop();
        runs.remove(this);
        if (failure != null) {
            peer.fail(Failures.of(failure));
        } else {
            peer.send(answer.apply(value));
            peer.finish();
        }
    }

    private void cancel() {
        if (call != null) {
            call.cancel();
        }
    }

    @Override
    public void stop(EngineException why) {
        sync.execute(this::cancel);
    }

    @Override
    public void heard(Peer from, Control control) {
        sync.execute(() -> {
            silence.heard();
            if (control.cancel()) {
                cancel();
            }
        });
    }

    @Override
    public void ready(Peer from) {}

    @Override
    public void broken(Peer from) {
        sync.execute(() -> {
            from.gone();
            cancel();
        });
    }
}
