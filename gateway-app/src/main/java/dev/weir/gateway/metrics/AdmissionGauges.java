package dev.weir.gateway.metrics;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.WaitReason;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collection;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Gauges over admission. One look serves all that are read in the same scrape, so that they fit together and a scrape
 * costs one lock. Thread-safe.
 */
final class AdmissionGauges {

    private static final long SAME_SCRAPE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final MeterRegistry registry;
    private final AdmissionController admission;
    private final LongSupplier clock;

    @GuardedBy("this")
    private final Set<String> groups = new HashSet<>();

    @GuardedBy("this")
    private @Nullable AdmissionSnapshot last;

    @GuardedBy("this")
    private long lastAt;

    /**
     * @param clock monotonic, in nanoseconds
     */
    AdmissionGauges(MeterRegistry registry, AdmissionController admission, LongSupplier clock) {
        this.registry = registry;
        this.admission = admission;
        this.clock = clock;
    }

    void register() {
        gauge(WeirMeter.QUERIES_RUNNING, Tags.empty(), AdmissionSnapshot::running);
        gauge(WeirMeter.QUERIES_SHORT, Tags.empty(), AdmissionSnapshot::shortRunning);
        gauge(WeirMeter.QUERIES_QUEUED, Tags.empty(), AdmissionSnapshot::queued);
        gauge(WeirMeter.QUERIES_PAUSED, Tags.empty(), AdmissionSnapshot::paused);
        gauge(WeirMeter.MEMORY_RESERVED, Tags.empty(), AdmissionSnapshot::reservedBytes);
        gauge(WeirMeter.HELD, Tags.empty(), now -> now.held() ? 1 : 0);
        gauge(WeirMeter.DRAINING, Tags.empty(), now -> now.draining() ? 1 : 0);
        gauge(WeirMeter.RUNNING_LIMIT, Tags.empty(), now -> now.limits().maxRunning());
        gauge(WeirMeter.SHORT_LIMIT, Tags.empty(), now -> now.limits().shortLane());
        gauge(WeirMeter.QUEUED_LIMIT, Tags.empty(), now -> now.limits().maxQueued());
        gauge(WeirMeter.MEMORY_BUDGET, Tags.empty(), now -> now.limits().memoryBudgetBytes());
        for (WaitReason reason : WaitReason.values()) {
            gauge(
                    WeirMeter.QUERIES_WAITING,
                    Tags.of("reason", reason.name().toLowerCase(Locale.ROOT)),
                    now -> now.reasons().getOrDefault(reason, 0));
        }
        groups(admission.snapshot().limits().groups().keySet());
    }

    /** Gauges of groups that have none yet; a group that is configured no more stays, at zero. */
    synchronized void groups(Collection<String> names) {
        for (String name : names) {
            if (groups.add(name)) {
                Tags tags = Tags.of("group", name);
                gauge(WeirMeter.GROUP_RUNNING, tags, now -> group(now, name).running());
                gauge(WeirMeter.GROUP_QUEUED, tags, now -> group(now, name).queued());
                gauge(WeirMeter.GROUP_RESERVED, tags, now -> group(now, name).reservedBytes());
            }
        }
    }

    private static AdmissionSnapshot.Group group(AdmissionSnapshot now, String name) {
        return now.groups().stream()
                .filter(group -> group.name().equals(name))
                .findFirst()
                .orElseGet(() -> new AdmissionSnapshot.Group(name, 0, 0, 0, 0, 0));
    }

    /** The look of this scrape. */
    synchronized AdmissionSnapshot now() {
        long time = clock.getAsLong();
        AdmissionSnapshot known = last;
        if (known == null || time - lastAt > SAME_SCRAPE_NANOS) {
            known = admission.snapshot();
            last = known;
            lastAt = time;
            // Limits change while the gateway runs; the gauges of a new group come with the next scrape.
            groups(known.limits().groups().keySet());
        }
        return known;
    }

    private void gauge(WeirMeter meter, Tags tags, ToDoubleFunction<AdmissionSnapshot> value) {
        Meters.gauge(registry, meter, tags, this, gauges -> value.applyAsDouble(gauges.now()));
    }
}
