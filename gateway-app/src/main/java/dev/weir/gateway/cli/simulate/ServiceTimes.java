package dev.weir.gateway.cli.simulate;

import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * How long the queries of a source run.
 *
 * @param distribution what each takes
 * @param seed of its own, so that two sources can draw the same times; empty for one from the trace's
 */
record ServiceTimes(Distribution distribution, OptionalLong seed) {

    private static final double LONGEST_NANOS = 1e18;

    /** Times in nanoseconds. */
    @FunctionalInterface
    interface Distribution {

        /** @param index of the user's query, from 0 */
        double nanos(long index, RandomGenerator random);
    }

    long nanos(long index, RandomGenerator random) {
        return Math.round(Math.min(LONGEST_NANOS, distribution.nanos(index, random)));
    }

    /** Reads a time, a list of times that are taken in turn, or a distribution. */
    static ServiceTimes read(YamlValue value) {
        if (!value.isMap()) {
            List<Long> times = value.items().stream().map(item -> item.nanos(0)).toList();
            return new ServiceTimes((index, random) -> times.get((int) (index % times.size())), OptionalLong.empty());
        }
        Map<String, YamlValue> fields = value.fields(Set.of("exponential", "lognormal", "sigma", "seed"));
        String kind = value.only(fields, Set.of("exponential", "lognormal"));
        double typical = value.required(fields, kind).nanos(1);
        YamlValue seed = fields.get("seed");
        OptionalLong own = seed == null ? OptionalLong.empty() : OptionalLong.of(seed.whole());
        YamlValue sigma = fields.get("sigma");
        if (kind.equals("exponential")) {
            if (sigma != null) {
                throw sigma.fault("only a lognormal distribution has it");
            }
            return new ServiceTimes((index, random) -> typical * random.nextExponential(), own);
        }
        double spread = value.required(fields, "sigma").positive(10);
        return new ServiceTimes((index, random) -> typical * Math.exp(spread * random.nextGaussian()), own);
    }
}
