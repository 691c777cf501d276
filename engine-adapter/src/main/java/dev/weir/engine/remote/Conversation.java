package dev.weir.engine.remote;

import io.grpc.ManagedChannel;
import java.util.concurrent.CompletionStage;

/** Something under way with the worker. All methods return at once, from any thread. */
interface Conversation {

    /** Tells the worker that it is still wanted. */
    void ping();

    /** A connection is gone. */
    void lost(ManagedChannel channel);

    /** Ends it on the worker. */
    void cancel();

    /** Ends it here, whatever the worker does. */
    void abandon();

    /** Whether it is a result in its reader's hands. */
    boolean isOpen();

    /** Whether the worker is waited for. */
    boolean isActive();

    /** Whether it was cancelled and has not stopped yet. */
    boolean isUnstopped();

    /** Completes when nothing is under way any more. */
    CompletionStage<Void> stopped();
}
