package dev.weir.gateway.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Registers meters as {@link WeirMeter} declares them; the one place where that is done. */
final class Meters {

    /** Buckets that an operator can set objectives on; percentile histograms would cost hundreds of lines. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30),
        Duration.ofMinutes(2),
        Duration.ofMinutes(10)
    };

    private Meters() {}

    static Counter counter(MeterRegistry registry, WeirMeter meter, Tags tags) {
        check(meter, WeirMeter.Kind.COUNTER, tags);
        return Counter.builder(meter.meterName())
                .baseUnit(unit(meter))
                .description(meter.help())
                .tags(tags)
                .register(registry);
    }

    /** A counter over something that counts by itself, held strongly. */
    static <T> FunctionCounter counter(
            MeterRegistry registry, WeirMeter meter, Tags tags, T source, ToDoubleFunction<T> count) {
        check(meter, WeirMeter.Kind.COUNTER, tags);
        return FunctionCounter.builder(meter.meterName(), source, count)
                .baseUnit(unit(meter))
                .description(meter.help())
                .tags(tags)
                .register(registry);
    }

    static Timer timer(MeterRegistry registry, WeirMeter meter, Tags tags) {
        check(meter, WeirMeter.Kind.HISTOGRAM, tags);
        return Timer.builder(meter.meterName())
                .description(meter.help())
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }

    /** A gauge over something, held strongly. */
    static <T> Gauge gauge(MeterRegistry registry, WeirMeter meter, Tags tags, T source, ToDoubleFunction<T> value) {
        check(meter, WeirMeter.Kind.GAUGE, tags);
        return Gauge.builder(meter.meterName(), source, value)
                .baseUnit(unit(meter))
                .description(meter.help())
                .tags(tags)
                .strongReference(true)
                .register(registry);
    }

    static <T> Gauge gauge(MeterRegistry registry, WeirMeter meter, T source, ToDoubleFunction<T> value) {
        return gauge(registry, meter, Tags.empty(), source, value);
    }

    /** The value of a label that stands for a constant. */
    static String label(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static @Nullable String unit(WeirMeter meter) {
        return meter.unit().isEmpty() ? null : meter.unit();
    }

    private static void check(WeirMeter meter, WeirMeter.Kind kind, Tags tags) {
        Set<String> given = new HashSet<>();
        for (Tag tag : tags) {
            given.add(tag.getKey());
        }
        if (meter.kind() != kind || !given.equals(Set.copyOf(meter.labels()))) {
            throw new IllegalArgumentException(
                    meter + " is a " + meter.kind() + " with the labels " + meter.labels() + ", not a " + kind + given);
        }
    }
}
