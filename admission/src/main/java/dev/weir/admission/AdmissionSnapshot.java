package dev.weir.admission;

import java.util.List;
import java.util.Map;

/**
 * The controller's state at one moment.
 *
 * @param limits in force
 * @param running permits that hold a slot, in the lane or not
 * @param shortRunning those of them in the lane for short queries
 * @param queued requests waiting
 * @param paused permits whose slot is lent, those that wait to have it back among them
 * @param reservedBytes sum of the reservations held, of the paused too
 * @param groups groups with something running, queued or paused, by name
 * @param users users with something running, queued or paused, by name
 * @param reasons why queries wait: how many for each reason; reasons without any are left out
 * @param held whether nothing is started because the machine's memory is short
 * @param draining whether {@code drain} was called
 */
public record AdmissionSnapshot(
        AdmissionLimits limits,
        int running,
        int shortRunning,
        int queued,
        int paused,
        long reservedBytes,
        List<Group> groups,
        List<User> users,
        Map<WaitReason, Integer> reasons,
        boolean held,
        boolean draining) {

    public AdmissionSnapshot {
        groups = List.copyOf(groups);
        users = List.copyOf(users);
        reasons = Map.copyOf(reasons);
    }

    /** One group's share. */
    public record Group(String name, int running, int shortRunning, int queued, int paused, long reservedBytes) {}

    /** One user's share. */
    public record User(
            String name, String group, int running, int shortRunning, int queued, int paused, long reservedBytes) {}
}
