package dev.weir.admission;

import java.util.HashMap;
import java.util.Map;

/**
 * The virtual times of one order of turns, restated: who never was charged stands at zero, and nobody is forgotten before
 * all is idle.
 */
final class ReferenceTurns {

    /** By group and user: the resource time the user has had. */
    private final Map<String, Double> users = new HashMap<>();

    /** By group: the highest start of a grant to one of its users. */
    private final Map<String, Double> clocks = new HashMap<>();

    /** By group: the resource time its users have had, by its weight. */
    private final Map<String, Double> groups = new HashMap<>();

    /** The highest start of a grant, among groups. */
    private double clock;

    double ofUser(String group, String user) {
        return users.getOrDefault(group + "/" + user, 0.0);
    }

    double ofGroup(String group) {
        return groups.getOrDefault(group, 0.0);
    }

    void startUserAfresh(String group, String user) {
        users.put(group + "/" + user, Math.max(ofUser(group, user), clocks.getOrDefault(group, 0.0)));
    }

    void startGroupAfresh(String group) {
        groups.put(group, Math.max(ofGroup(group), clock));
    }

    void granted(String group, String user) {
        clocks.merge(group, ofUser(group, user), Math::max);
        clock = Math.max(clock, ofGroup(group));
    }

    void charge(String group, String user, double weight, double charge) {
        users.put(group + "/" + user, ofUser(group, user) + charge);
        groups.put(group, ofGroup(group) + charge / weight);
    }

    /** What was taken while nobody else wanted it is owed to nobody. */
    void forget() {
        users.clear();
        clocks.clear();
        groups.clear();
    }
}
