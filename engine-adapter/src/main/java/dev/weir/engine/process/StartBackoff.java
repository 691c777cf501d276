package dev.weir.engine.process;

import java.util.concurrent.atomic.AtomicLong;

/** How long to wait after starts that failed, one after another. Thread-safe. */
final class StartBackoff {

    private static final long FIRST_MILLIS = 100;
    private static final long LAST_MILLIS = 5_000;

    /** 0 when the last start succeeded, or there was none yet. */
    private final AtomicLong millis = new AtomicLong();

    /** A start failed; gives the milliseconds to wait before the next. */
    long failed() {
        return millis.updateAndGet(last -> Math.min(LAST_MILLIS, Math.max(FIRST_MILLIS, last * 2)));
    }

    void succeeded() {
        millis.set(0);
    }

    boolean isFailing() {
        return millis.get() > 0;
    }
}
