package dev.weir.admission;

/**
 * What a user, or a group, has in use and in the queue. Guarded by the controller's lock.
 */
final class Account {

    final String name;

    /** The group's account for a user; itself for a group. */
    final Account group;

    /** Limits of the group. */
    GroupLimits limits;

    int running;
    int shortRunning;
    int probation;
    int paused;
    int queued;
    long reservedBytes;

    private Account(String name, Account group, GroupLimits limits) {
        this.name = name;
        this.group = group;
        this.limits = limits;
    }

    @SuppressWarnings("NullAway") // A group's account is its own group; there is no way to say so before it exists.
    private Account(String name, GroupLimits limits) {
        this.name = name;
        this.group = this;
        this.limits = limits;
    }

    static Account ofGroup(String name, GroupLimits limits) {
        return new Account(name, limits);
    }

    static Account ofUser(String name, Account group) {
        return new Account(name, group, group.limits);
    }

    boolean isIdle() {
        return running == 0 && shortRunning == 0 && paused == 0 && queued == 0;
    }

    /** Changes the user's figures and the group's alike. */
    void count(int running, int shortRunning, int probation, int paused) {
        add(running, shortRunning, probation, paused);
        if (group != this) {
            group.add(running, shortRunning, probation, paused);
        }
    }

    private void add(int moreRunning, int moreShort, int moreProbation, int morePaused) {
        running += moreRunning;
        shortRunning += moreShort;
        probation += moreProbation;
        paused += morePaused;
    }

    void queued(int change) {
        queued += change;
        if (group != this) {
            group.queued += change;
        }
    }

    void reserved(long change) {
        reservedBytes += change;
        if (group != this) {
            group.reservedBytes += change;
        }
    }
}
