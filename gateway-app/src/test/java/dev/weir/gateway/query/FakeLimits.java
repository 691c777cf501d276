package dev.weir.gateway.query;

import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.UserLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Limits that a test sets; remembers what was changed. */
final class FakeLimits implements LimitsSource {

    final Map<String, Object> changed = new HashMap<>();
    private final QueryLimits clocks;

    FakeLimits(QueryLimits clocks) {
        this.clocks = clocks;
    }

    @Override
    public AdmissionLimits admission() {
        AdmissionLimits flat = AdmissionLimits.flat(3, 1, Duration.ofSeconds(1), 1000, 1000, 1000, 2, 1);
        GroupLimits etl =
                new GroupLimits(1, 1, 1, Duration.ofSeconds(1), 500, 500, 500, null, new UserLimits(1, 1, 1, null));
        return new AdmissionLimits(
                3,
                1,
                0,
                Duration.ofMillis(250),
                0,
                1000,
                null,
                Map.of(AdmissionLimits.DEFAULT_GROUP, flat.group(AdmissionLimits.DEFAULT_GROUP), "etl", etl));
    }

    @Override
    public QueryLimits clocks() {
        return clocks;
    }

    @Override
    public double highWater() {
        return 0.9;
    }

    @Override
    public Map<String, Object> tree() {
        return changed;
    }

    @Override
    public void change(Map<String, ?> changes, boolean persist) {
        changed.putAll(changes);
        changed.put("persist", persist);
    }
}
