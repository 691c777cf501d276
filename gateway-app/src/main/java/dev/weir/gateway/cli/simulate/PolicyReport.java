package dev.weir.gateway.cli.simulate;

import java.util.List;

/**
 * What one policy made of a trace. All figures are of the time measured.
 *
 * @param policy its name
 * @param measuredSeconds virtual seconds measured
 * @param all all queries together
 * @param groups by name, those that asked for something
 * @param users by name, those that asked for something
 * @param running queries that ran, mean over time, those in a lane included
 * @param inLane those of them in the lane for short queries
 * @param slots part of the running cap in use, mean over time; the lane is beside it. Can pass 1: a query that runs for
 *     too long leaves the lane and counts here, whether or not there is a slot
 * @param memory part of the memory budget that was reserved, from 0 to 1, mean over time
 * @param jainUsers fairness between users: Jain's index of their resource-seconds, each divided by an equal part of the
 *     group's weight; 1 when all had what was due to them, 1/n when one of n had all
 * @param jainGroups the same between groups, of resource-seconds divided by weight
 */
record PolicyReport(
        PolicyKind policy,
        double measuredSeconds,
        Figures all,
        List<Figures> groups,
        List<Figures> users,
        double running,
        double inLane,
        double slots,
        double memory,
        double jainUsers,
        double jainGroups) {

    PolicyReport {
        groups = List.copyOf(groups);
        users = List.copyOf(users);
    }

    /**
     * Figures of a user, a group or all.
     *
     * @param name of the user or group; empty for all
     * @param group whose limits count; empty for all
     * @param started queries granted
     * @param refused queries refused, at once or because they waited for too long
     * @param waiting queries that still wait at the end
     * @param waits of the queries granted, from submit to grant
     * @param resourceSeconds sum of share x time held
     */
    record Figures(
            String name,
            String group,
            long started,
            long refused,
            long waiting,
            Waits.Summary waits,
            double resourceSeconds) {}
}
