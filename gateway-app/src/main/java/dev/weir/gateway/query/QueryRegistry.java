package dev.weir.gateway.query;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Every query that was accepted: the live ones, and the last ones that are done, so that a client can still ask what
 * became of its query. Thread-safe.
 */
final class QueryRegistry {

    /** Done queries that are remembered; a snapshot is about 500 bytes. */
    static final int REMEMBERED = 2000;

    private final Map<String, QueryRun> live = new ConcurrentHashMap<>();

    private final Object lock = new Object();

    @GuardedBy("lock")
    private final Map<String, QuerySnapshot> done = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, QuerySnapshot> eldest) {
            return size() > REMEMBERED;
        }
    };

    void add(QueryRun run) {
        live.put(run.id(), run);
    }

    /** Remembers the end before the live entry goes, so that a query is never invisible. */
    void done(QuerySnapshot last, boolean remember) {
        if (remember) {
            synchronized (lock) {
                done.put(last.id(), last);
            }
        }
        live.remove(last.id());
    }

    @Nullable
    QueryRun live(String id) {
        return live.get(id);
    }

    @Nullable
    QuerySnapshot remembered(String id) {
        synchronized (lock) {
            return done.get(id);
        }
    }

    List<QueryRun> live() {
        return new ArrayList<>(live.values());
    }

    List<QuerySnapshot> remembered() {
        synchronized (lock) {
            return new ArrayList<>(done.values());
        }
    }
}
