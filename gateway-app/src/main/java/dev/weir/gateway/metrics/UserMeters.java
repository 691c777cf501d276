package dev.weir.gateway.metrics;

import static dev.weir.gateway.metrics.Meters.label;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Meters by user. So many users as are allowed have their own; the others together are {@code other}. A user who comes
 * anew takes the meters of the one who was away longest, if that was at least {@link #AWAY_NANOS}; so whoever uses the
 * gateway now is seen, and labels stay few however many users there are. Thread-safe.
 */
final class UserMeters {

    static final long AWAY_NANOS = TimeUnit.MINUTES.toNanos(10);
    static final String OTHER = "other";

    private final MeterRegistry registry;
    private final int most;
    private final LongSupplier clock;
    private final Entry others;

    /** Those with meters of their own, the one away longest first. */
    @GuardedBy("this")
    private final Map<String, Entry> own = new LinkedHashMap<>(16, 0.75f, true);

    private volatile Set<String> names = Set.of();
    private volatile Supplier<List<AdmissionSnapshot.User>> now = List::of;

    /** @param clock monotonic, in nanoseconds */
    UserMeters(MeterRegistry registry, int most, LongSupplier clock) {
        this.registry = registry;
        this.most = most;
        this.clock = clock;
        this.others = new Entry(OTHER);
    }

    /** From where running and queued queries are counted from now on. */
    void observe(Supplier<AdmissionSnapshot> admission) {
        now = () -> admission.get().users();
    }

    void submitted(String user) {
        entry(user);
    }

    void done(QuerySnapshot query) {
        entry(query.user()).done(query);
    }

    private synchronized Entry entry(String user) {
        long time = clock.getAsLong();
        Entry entry = own.get(user);
        if (entry == null && makeRoom(time)) {
            // Whoever is called as the others together are is one of them.
            entry = user.equals(OTHER) ? null : new Entry(user);
            if (entry != null) {
                own.put(user, entry);
                names = Set.copyOf(own.keySet());
            }
        }
        if (entry == null) {
            return others;
        }
        entry.seenAt = time;
        return entry;
    }

    @GuardedBy("this")
    private boolean makeRoom(long time) {
        if (own.size() < most) {
            return true;
        }
        Iterator<Entry> eldestFirst = own.values().iterator();
        if (!eldestFirst.hasNext()) {
            return false;
        }
        Entry eldest = eldestFirst.next();
        if (time - eldest.seenAt < AWAY_NANOS) {
            return false;
        }
        eldestFirst.remove();
        eldest.meters.forEach(registry::remove);
        return true;
    }

    /** Of one user, or of all that have no meters of their own. */
    private double count(String user, ToIntFunction<AdmissionSnapshot.User> value) {
        Set<String> known = names;
        long sum = 0;
        for (AdmissionSnapshot.User one : now.get()) {
            if (user.equals(OTHER) ? !known.contains(one.name()) : one.name().equals(user)) {
                sum += value.applyAsInt(one);
            }
        }
        return sum;
    }

    /** The meters of one user. */
    private final class Entry {

        private final Map<QueryState, Counter> queries = new EnumMap<>(QueryState.class);
        private final Counter running;
        private final Counter queued;
        private final Counter bytes;
        private final List<Meter> meters = new ArrayList<>();

        /** Guarded by the meters' lock. */
        private long seenAt;

        Entry(String user) {
            Tags tags = Tags.of("user", user);
            for (QueryState outcome : GatewayMetrics.OUTCOMES) {
                queries.put(outcome, counter(WeirMeter.USER_QUERIES, tags.and("outcome", label(outcome))));
            }
            running = counter(WeirMeter.USER_RUN_TIME, tags);
            queued = counter(WeirMeter.USER_QUEUE_TIME, tags);
            bytes = counter(WeirMeter.USER_BYTES, tags);
            gauge(WeirMeter.USER_RUNNING, user, AdmissionSnapshot.User::running);
            gauge(WeirMeter.USER_QUEUED, user, AdmissionSnapshot.User::queued);
        }

        private Counter counter(WeirMeter meter, Tags tags) {
            Counter counter = Meters.counter(registry, meter, tags);
            meters.add(counter);
            return counter;
        }

        private void gauge(WeirMeter meter, String user, ToIntFunction<AdmissionSnapshot.User> value) {
            Gauge gauge = Meters.gauge(
                    registry, meter, Tags.of("user", user), UserMeters.this, all -> all.count(user, value));
            meters.add(gauge);
        }

        void done(QuerySnapshot query) {
            Objects.requireNonNull(queries.get(query.state())).increment();
            running.increment(query.running().toNanos() / 1e9);
            queued.increment(query.queued().toNanos() / 1e9);
            bytes.increment((double) query.bytes());
        }
    }
}
