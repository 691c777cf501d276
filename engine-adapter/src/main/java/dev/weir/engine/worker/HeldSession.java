package dev.weir.engine.worker;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineSession;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import io.grpc.SynchronizationContext;

/** A session of the engine that a gateway holds: it ends with its call, or with the gateway's silence. */
final class HeldSession implements Session {

    private final Runs runs;
    private final Peer peer;
    private final String token;
    private final EngineSession engine;
    private final SynchronizationContext sync;
    private final SilenceWatch silence;
    private boolean ending;

    HeldSession(Runs runs, Peer peer, String token, EngineSession engine) {
        this.runs = runs;
        this.peer = peer;
        this.token = token;
        this.engine = engine;
        this.sync = new SynchronizationContext((thread, thrown) -> engine.close());
        this.silence = new SilenceWatch(sync, runs.timer(), runs.settings().heartbeatTimeout(), this::end);
    }

    EngineSession engine() {
        return engine;
    }

    /** From now on statements find it. */
    void begin() {
        sync.execute(() -> {
            silence.start();
            runs.hold(token, this);
            peer.send(Frame.of(new Reply.Checked()));
        });
    }

    private void end() {
        if (ending) {
            return;
        }
        ending = true;
        silence.stop();
        runs.release(token);
        engine.close();
        engine.closed().whenComplete((nothing, never) -> sync.execute(peer::finish));
    }

    @Override
    public void heard(Peer from, Control control) {
        sync.execute(() -> {
            silence.heard();
            if (control.cancel()) {
                end();
            }
        });
    }

    @Override
    public void ready(Peer from) {}

    @Override
    public void broken(Peer from) {
        sync.execute(() -> {
            from.gone();
            end();
        });
    }

    @Override
    public void stop(EngineException why) {
        sync.execute(this::end);
    }
}
