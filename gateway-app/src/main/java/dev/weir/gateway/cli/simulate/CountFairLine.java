package dev.weir.gateway.cli.simulate;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Weighted fair queueing by count: each query costs its group 1 / weight and its user 1, however long or wide it is.
 * Groups take turns by weight, users within a group equally, the queries of a user in the order of their arrival. Who
 * was idle starts where the others are.
 */
final class CountFairLine implements Line {

    private final Tier<Group> groups = new Tier<>(Group::new);
    private long arrivals;

    @Override
    public void add(SimulatedQuery query) {
        Group group = groups.flow(query.group);
        User user = group.users.flow(query.ask.user());
        long arrival = arrivals++;
        groups.join(group, arrival);
        group.users.join(user, arrival);
        user.waiting.add(query);
    }

    @Override
    public @Nullable SimulatedQuery first() {
        Group group = groups.next();
        User user = group == null ? null : group.users.next();
        return user == null ? null : user.waiting.iterator().next();
    }

    @Override
    public void serve(SimulatedQuery first) {
        Group group = groups.flow(first.group);
        User user = group.users.flow(first.ask.user());
        groups.charge(group, 1 / first.groupLimits.weight());
        group.users.charge(user, 1);
        leave(first);
    }

    @Override
    public void leave(SimulatedQuery query) {
        Group group = groups.flow(query.group);
        User user = group.users.flow(query.ask.user());
        user.waiting.remove(query);
        if (user.waiting.isEmpty()) {
            group.users.active.remove(user);
        }
        if (group.users.active.isEmpty()) {
            groups.active.remove(group);
        }
    }

    /** Flows that take turns with each other. */
    private static final class Tier<F extends Flow> {

        private final Map<String, F> flows = new HashMap<>();
        /** Those with something waiting. */
        final Set<F> active = new LinkedHashSet<>();
        /** The turn of the flow served last. */
        private double now;

        private final Supplier<F> make;

        Tier(Supplier<F> make) {
            this.make = make;
        }

        F flow(String name) {
            return Objects.requireNonNull(flows.computeIfAbsent(name, unseen -> make.get()));
        }

        void join(F flow, long arrival) {
            if (active.add(flow)) {
                flow.turn = Math.max(flow.turn, now);
                flow.since = arrival;
            }
        }

        @Nullable
        F next() {
            F next = null;
            for (F flow : active) {
                if (next == null || flow.turn < next.turn || (flow.turn == next.turn && flow.since < next.since)) {
                    next = flow;
                }
            }
            return next;
        }

        void charge(F flow, double cost) {
            now = Math.max(now, flow.turn);
            flow.turn += cost;
        }
    }

    /** A group with its users, or a user with the queries that wait. */
    private static class Flow {

        double turn;
        /** When it last joined; breaks ties. */
        long since;
    }

    private static final class Group extends Flow {

        final Tier<User> users = new Tier<>(User::new);
    }

    private static final class User extends Flow {

        final Set<SimulatedQuery> waiting = new LinkedHashSet<>();
    }
}
