package dev.weir.admission;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs what is not the controller's own: continuations and the listener. Never called with the controller's lock held.
 * Thread-safe.
 */
final class Callbacks {

    private final Executor executor;
    private final AdmissionListener listener;
    private final LongAdder listenerFailures = new LongAdder();

    /** Tasks the executor refused, of a thread that is running one at this moment. */
    private final ThreadLocal<@Nullable ArrayDeque<Runnable>> refusedHere = new ThreadLocal<>();

    Callbacks(Executor executor, AdmissionListener listener) {
        this.executor = executor;
        this.listener = listener;
    }

    /** Calls the listener in this thread. Whatever it throws is counted and goes no further. */
    void tell(Consumer<AdmissionListener> event) {
        try {
            event.accept(listener);
        } catch (Throwable failure) {
            listenerFailures.increment();
        }
    }

    long listenerFailures() {
        return listenerFailures.sum();
    }

    /**
     * Runs a task on the executor, or here when the executor does not take it: a grant that nobody hears of would be a
     * slot lost for good.
     */
    void run(Runnable task) {
        Once once = new Once(task);
        try {
            executor.execute(once);
        } catch (RuntimeException | OutOfMemoryError refused) {
            // A thread pool that cannot start a thread throws OutOfMemoryError, perhaps after it queued the task.
            runHere(once);
        }
    }

    /**
     * A continuation run here may close its permit, which grants the next query and comes here again. Those wait for
     * the one under way, so that a long queue does not become a deep stack.
     */
    private void runHere(Runnable task) {
        ArrayDeque<Runnable> underWay = refusedHere.get();
        if (underWay != null) {
            underWay.add(task);
            return;
        }
        ArrayDeque<Runnable> tasks = new ArrayDeque<>();
        refusedHere.set(tasks);
        try {
            for (Runnable next = task; next != null; next = tasks.poll()) {
                next.run();
            }
        } finally {
            refusedHere.remove();
        }
    }

    private static final class Once implements Runnable {

        private final Runnable task;
        private final AtomicBoolean begun = new AtomicBoolean();

        Once(Runnable task) {
            this.task = task;
        }

        @Override
        public void run() {
            if (begun.compareAndSet(false, true)) {
                task.run();
            }
        }
    }
}
