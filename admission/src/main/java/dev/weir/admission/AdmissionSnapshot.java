package dev.weir.admission;

import java.util.List;

/**
 * The controller's state at one moment.
 *
 * @param limits in force
 * @param running permits held
 * @param queued requests waiting
 * @param reservedBytes sum of the reservations held
 * @param users users with something running or queued, by name
 * @param draining whether {@code drain} was called
 */
public record AdmissionSnapshot(
        AdmissionLimits limits, int running, int queued, long reservedBytes, List<User> users, boolean draining) {

    public AdmissionSnapshot {
        users = List.copyOf(users);
    }

    /** One user's share. */
    public record User(String name, int running, int queued, long reservedBytes) {}
}
