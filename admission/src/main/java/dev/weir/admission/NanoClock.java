package dev.weir.admission;

/**
 * A monotonic clock, so that a jump of the wall clock moves no timeout. Only differences of its values mean anything.
 * Called with the controller's lock held: must be quick and thread-safe.
 */
@FunctionalInterface
public interface NanoClock {

    /** The JVM's own monotonic clock. */
    NanoClock SYSTEM = System::nanoTime;

    /** Nanoseconds since some fixed moment; may be negative. */
    long nanoTime();
}
