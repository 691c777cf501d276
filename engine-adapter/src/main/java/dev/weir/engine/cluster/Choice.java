package dev.weir.engine.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Picks the less loaded of two workers taken at random. The least loaded of all would be everybody's choice until the
 * next reports tell of it, since several gateways look at figures of the same age.
 */
final class Choice {

    private final RandomGenerator random;

    Choice(RandomGenerator random) {
        this.random = random;
    }

    /** @param from not empty */
    Member pick(List<Member> from, long memory, long now) {
        List<Member> trusted =
                from.stream().filter(member -> !member.health.isLastChoice()).toList();
        List<Member> candidates = new ArrayList<>(trusted.isEmpty() ? from : trusted);
        Member first = candidates.remove(random.nextInt(candidates.size()));
        if (candidates.isEmpty()) {
            return first;
        }
        Member second = candidates.get(random.nextInt(candidates.size()));
        return second.loadWith(memory, now) < first.loadWith(memory, now) ? second : first;
    }
}
