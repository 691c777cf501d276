package dev.weir.engine.worker;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineSession;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/** What a worker has under way. Thread-safe. */
final class Runs {

    private final WorkerSettings settings;
    private final ScheduledExecutorService timer;
    private final Places places;
    private final BufferAllocator uploads;
    private final Map<String, RunSession> byToken = new ConcurrentHashMap<>();
    private final Set<Session> all = ConcurrentHashMap.newKeySet();
    private final Map<String, HeldSession> held = new ConcurrentHashMap<>();
    private volatile boolean draining;

    /** @param uploads holds what is uploaded; the caller's to close */
    Runs(WorkerSettings settings, ScheduledExecutorService timer, BufferAllocator uploads) {
        this.settings = settings;
        this.timer = timer;
        this.uploads = uploads;
        this.places = new Places(settings.slots(), settings.memoryBytes());
    }

    WorkerSettings settings() {
        return settings;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    BufferAllocator uploads() {
        return uploads;
    }

    /**
     * Makes the session of a query.
     *
     * @throws EngineException UNAVAILABLE when draining, BUSY without a free place
     */
    RunSession query(String token, String label, long memory) {
        return admit(token, () -> {
            EngineException refused = places.take(memory);
            if (refused != null) {
                throw refused;
            }
            return new RunSession(this, token, label, memory);
        });
    }

    /**
     * Makes the session of a question about the catalog, which needs no place.
     *
     * @throws EngineException UNAVAILABLE when draining
     */
    RunSession metadata(String token) {
        return admit(token, () -> new RunSession(this, token, "catalog", -1));
    }

    private RunSession admit(String token, Supplier<RunSession> make) {
        if (draining) {
            throw Failures.draining();
        }
        RunSession session = byToken.compute(token, (key, present) -> {
            if (present != null) {
                throw new EngineException(EngineFailure.INTERNAL, "The token names another query");
            }
            return make.get();
        });
        all.add(session);
        if (draining) {
            // Whoever waits for all to end may have looked before this one was there.
            session.stop(Failures.draining());
        }
        return session;
    }

    @Nullable
    RunSession find(String token) {
        return byToken.get(token);
    }

    void add(Session session) {
        all.add(session);
    }

    void remove(RunSession session) {
        byToken.remove(session.token(), session);
        remove((Session) session);
    }

    void remove(Session session) {
        all.remove(session);
        synchronized (all) {
            all.notifyAll();
        }
    }

    /** Keeps a session for the statements that name it. */
    void hold(String token, HeldSession session) {
        held.put(token, session);
    }

    void release(String token) {
        held.remove(token);
    }

    /** @throws EngineException CANCELLED when there is no such session any more: nothing was started */
    EngineSession session(String token) {
        HeldSession session = held.get(token);
        if (session == null) {
            throw new EngineException(
                    EngineFailure.CANCELLED, "The session of the statement has ended", "57014", -1, null);
        }
        return session.engine();
    }

    /** The most memory that the query of a result that has ended took, in bytes; null where it is not measured. */
    @Nullable
    Long peakMemory(ArrowResult ended) {
        OptionalLong known = ended.peakMemoryBytes();
        long peak =
                known.isPresent() ? known.getAsLong() : settings.peakMemory().getAsLong();
        return peak > 0 ? peak : null;
    }

    void giveBack(long memory) {
        places.give(memory);
    }

    int running() {
        return places.taken();
    }

    long reserved() {
        return places.reserved();
    }

    boolean isDraining() {
        return draining;
    }

    void drain() {
        draining = true;
    }

    void stopAll() {
        for (Session session : all) {
            session.stop(Failures.stopping());
        }
        for (HeldSession session : held.values()) {
            session.stop(Failures.stopping());
        }
    }

    /** Waits until nothing is under way; false when something still is after that time. */
    boolean awaitNone(Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        synchronized (all) {
            while (!all.isEmpty()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (left <= 0) {
                    return false;
                }
                all.wait(left);
            }
        }
        return true;
    }
}
