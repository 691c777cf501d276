package dev.weir.engine.worker;

import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Reply;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;

/** The gateway's end of one call. Used by one thread at a time, that of the session it belongs to. */
final class Peer {

    private final ServerCall<Frame, Frame> call;
    private boolean closed;

    Peer(ServerCall<Frame, Frame> call) {
        this.call = call;
    }

    /** Whether a message would be sent now and not only stored. */
    boolean isReady() {
        return !closed && call.isReady();
    }

    void send(Frame frame) {
        if (closed || call.isCancelled()) {
            frame.close();
        } else {
            call.sendMessage(frame);
        }
    }

    void fail(EngineException failure) {
        send(Frame.of(Reply.Failed.of(failure)));
        finish();
    }

    /** Ends the call as agreed. */
    void finish() {
        close(Status.OK);
    }

    /** Breaks the call off; the gateway may resume. */
    void drop(String why) {
        close(Status.ABORTED.withDescription(why));
    }

    private void close(Status status) {
        if (!closed) {
            closed = true;
            call.close(status, new Metadata());
        }
    }

    /** The gateway has gone. */
    void gone() {
        closed = true;
    }
}
