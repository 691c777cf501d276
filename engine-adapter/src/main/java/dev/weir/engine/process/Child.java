package dev.weir.engine.process;

import dev.weir.engine.QueryEngine;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** One child process that serves queries, and the engine that speaks to it. Thread-safe. */
interface Child {

    /** Unique within the gateway. */
    String name();

    long pid();

    QueryEngine engine();

    /** What it was started for. */
    ChildRequest request();

    /** When it became ready. */
    Instant since();

    /** A call has ended here. */
    void markUsed();

    /** Whether a call has ended here. */
    boolean isUsed();

    /** Completes (never exceptionally) with the way the process ended, once it has. */
    CompletionStage<ChildExit> exited();

    /** Ends the process now, whatever it does; returns at once. Idempotent. */
    void kill();

    /** Lets the process close its database, and kills it when that takes too long; returns at once. Idempotent. */
    void stop();
}
