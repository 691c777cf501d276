package dev.weir.engine.remote;

import dev.weir.engine.IngestMessage;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Json;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Wire;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ClientStreamTracer;
import io.grpc.Context;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.SynchronizationContext;
import java.io.IOException;

/** One call to a worker. Its owner's context orders everything; what comes is told there, too. */
final class Exchange {

    /** Told in the context. */
    interface Owner {

        /** The worker has taken the call. */
        void taken(Exchange exchange);

        /** The worker said something; the frame is the owner's to close. */
        void told(Exchange exchange, Reply reply, Frame frame);

        /** The call is over, OK or broken; the last thing that is told. */
        void over(Exchange exchange, Status status);
    }

    private final ManagedChannel channel;
    private final SynchronizationContext sync;
    private final Owner owner;
    private final ClientCall<Frame, Frame> call;
    private volatile boolean sent;
    /** Nothing can be said any more. */
    private boolean over;

    Exchange(ManagedChannel channel, SynchronizationContext sync, Owner owner) {
        this.channel = channel;
        this.sync = sync;
        this.owner = owner;
        this.call = newCall(channel);
    }

    /**
     * A call of its own: the thread may be serving a Flight client, whose call gRPC would take for the parent of this one
     * and cancel it with, before the last word to the worker has been said.
     */
    private ClientCall<Frame, Frame> newCall(ManagedChannel to) {
        CallOptions options = CallOptions.DEFAULT.withStreamTracerFactory(new ClientStreamTracer.Factory() {
            @Override
            public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
                return new Tracer();
            }
        });
        Context callers = Context.ROOT.attach();
        try {
            return to.newCall(Wire.EXCHANGE, options);
        } finally {
            Context.ROOT.detach(callers);
        }
    }

    private final class Tracer extends ClientStreamTracer {

        @Override
        public void streamCreated(Attributes transport, Metadata headers) {
            sent = true;
        }
    }

    ManagedChannel channel() {
        return channel;
    }

    /** Whether the command may have left this process. */
    boolean wasSent() {
        return sent;
    }

    void start(byte[] secret, Frame command) {
        Metadata headers = new Metadata();
        headers.put(Wire.AUTHORIZATION, Wire.bearer(secret));
        call.start(new Listener(), headers);
        call.sendMessage(command);
    }

    /** Lets one more message come. */
    void request() {
        call.request(1);
    }

    void say(Control control) {
        if (!over) {
            call.sendMessage(Frame.of(control));
        }
    }

    /** Sends a message of an upload; it is copied to the transport, and stays the caller's. */
    void upload(IngestMessage message) {
        if (!over) {
            call.sendMessage(Frame.of(Control.ofPart(message.part()), message));
        }
    }

    /** Breaks the call; {@link Owner#over} follows. */
    void abort(String why) {
        over = true;
        call.cancel(why, null);
    }

    private final class Listener extends ClientCall.Listener<Frame> {

        @Override
        public void onHeaders(Metadata headers) {
            sync.execute(() -> owner.taken(Exchange.this));
        }

        @Override
        public void onMessage(Frame frame) {
            byte[] control = frame.control();
            Reply reply;
            try {
                reply = Json.read(control == null ? new byte[0] : control, Reply.class);
            } catch (IOException | RuntimeException e) {
                frame.close();
                sync.execute(() -> abort("A message of the worker cannot be read"));
                return;
            }
            sync.execute(() -> owner.told(Exchange.this, reply, frame));
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            sync.execute(() -> {
                over = true;
                owner.over(Exchange.this, status);
            });
        }
    }
}
