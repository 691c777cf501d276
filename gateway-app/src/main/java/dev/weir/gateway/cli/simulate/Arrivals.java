package dev.weir.gateway.cli.simulate;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** When a user asks. Times in nanoseconds. */
sealed interface Arrivals {

    /** Clients that each wait for the end of a query, and think, before they send the next. */
    record Closed(int clients, long thinkNanos) implements Arrivals {}

    /** One query after the other at fixed times, whether or not they end; the first at a random time when null. */
    record Every(long periodNanos, @Nullable Long firstNanos) implements Arrivals {}

    /** At random, independent of each other. */
    record Poisson(double perNano) implements Arrivals {}

    /** All at the start. */
    record AtStart(int queries) implements Arrivals {}

    /** Whether they come to an end by themselves. */
    default boolean end() {
        return this instanceof AtStart;
    }

    static Arrivals read(YamlValue value) {
        Map<String, YamlValue> fields =
                value.fields(Set.of("closed", "think", "every", "first", "poisson", "at-start"));
        String kind = value.only(fields, Set.of("closed", "every", "poisson", "at-start"));
        YamlValue given = value.required(fields, kind);
        YamlValue think = fields.get("think");
        YamlValue first = fields.get("first");
        if (think != null && !kind.equals("closed")) {
            throw think.fault("only closed arrivals have it");
        }
        if (first != null && !kind.equals("every")) {
            throw first.fault("only arrivals at fixed times (every) have it");
        }
        return switch (kind) {
            case "closed" -> new Closed((int) given.count(1, 1_000_000), think == null ? 0 : think.nanos(0));
            case "every" -> new Every(given.nanos(1), first == null ? null : (Long) first.nanos(0));
            case "poisson" -> new Poisson(given.rate());
            default -> new AtStart((int) given.count(1, 10_000_000));
        };
    }
}
