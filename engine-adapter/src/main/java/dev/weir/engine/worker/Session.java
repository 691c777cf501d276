package dev.weir.engine.worker;

import dev.weir.engine.EngineException;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;

/** What a call is about. All methods return at once, from any thread. */
interface Session {

    /** The gateway said something. */
    void heard(Peer peer, Control control);

    /** A message of an upload came; the frame stays the caller's to close. */
    default void uploaded(Peer peer, int part, Frame frame) {}

    /** The transport takes more. */
    void ready(Peer peer);

    /** The call broke, or its gateway ended it. */
    void broken(Peer peer);

    /** The worker wants it to end; nobody will ask for how it ended. */
    void stop(EngineException why);
}
