package dev.weir.gateway.cli.simulate;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;

/** A trace described in YAML: sources, and for how long they are at work. */
record GeneratedTrace(long warmUpNanos, long endNanos, long seed, List<TraceSource> sources) implements Trace {

    GeneratedTrace {
        sources = List.copyOf(sources);
    }

    /**
     * Reads a description.
     *
     * @param file for messages
     * @param givenSeed wins over that of the file
     */
    static GeneratedTrace read(String file, String text, OptionalLong givenSeed) {
        YamlValue top = YamlValue.parse(file, text);
        Map<String, YamlValue> fields = top.fields(Set.of("duration", "warm-up", "seed", "sources"));
        List<YamlValue> items = top.required(fields, "sources").items();
        List<TraceSource> sources = items.stream().map(TraceSource::read).toList();
        checkUsers(items, sources);
        YamlValue warmUp = fields.get("warm-up");
        YamlValue duration = fields.get("duration");
        YamlValue seed = fields.get("seed");
        if (duration == null
                && !sources.stream().allMatch(source -> source.arrivals().end())) {
            throw top.fault("duration is missing; without one, all arrivals must be at-start");
        }
        long measuredFrom = warmUp == null ? 0 : warmUp.nanos(0);
        return new GeneratedTrace(
                measuredFrom,
                duration == null ? UNTIL_DONE : measuredFrom + duration.nanos(1),
                givenSeed.orElse(seed == null ? 1 : seed.whole()),
                sources);
    }

    /** A user belongs to one group, as in the gateway. */
    private static void checkUsers(List<YamlValue> items, List<TraceSource> sources) {
        Map<String, String> groups = new HashMap<>();
        for (int i = 0; i < sources.size(); i++) {
            TraceSource source = sources.get(i);
            for (int number = 0; number < source.users(); number++) {
                String user = source.userName(number);
                String before = groups.put(user, source.group());
                if (before != null && !before.equals(source.group())) {
                    throw items.get(i).fault("the user " + user + " is in the group " + before + " already");
                }
            }
        }
    }

    @Override
    public String remark() {
        return "";
    }

    @Override
    public void play(EventClock clock, Submission submission) {
        SplittableRandom random = new SplittableRandom(seed);
        for (TraceSource source : sources) {
            for (int number = 0; number < source.users(); number++) {
                new GeneratedUser(source, number, clock, submission, random).start();
            }
        }
    }
}
