package dev.weir.gateway.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts credentials that were refused. Thread-safe. */
public final class LoginMeters {

    private final Map<String, Counter> failures = new HashMap<>();

    /** @param reasons all that there are */
    public LoginMeters(MeterRegistry registry, List<String> reasons) {
        for (String reason : reasons) {
            failures.put(reason, Meters.counter(registry, WeirMeter.LOGIN_FAILURES, Tags.of("reason", reason)));
        }
    }

    /** Credentials were refused; a reason that was not announced is not counted. */
    public void failed(String reason) {
        Counter counter = failures.get(reason);
        if (counter != null) {
            counter.increment();
        }
    }
}
