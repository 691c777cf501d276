package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FairQueueTest {

    private final AdmissionLimits limits = Limits.running(5).userRunning(1).build();
    private final Capacity capacity = new Capacity(limits);
    private final FairQueue queue = new FairQueue(capacity);
    private final Accounts accounts = new Accounts(limits);
    private final FairAdmissionController controller = new FairAdmissionController(
            limits, () -> 0, (task, delay) -> () -> {}, new Callbacks(Runnable::run, AdmissionListener.NONE));
    private long arrivals;

    @Test
    void aWaiterThatLeavesIsForgottenWholly() {
        Waiter first = enqueue("ann");
        Waiter second = enqueue("bob");

        queue.withdraw(second, second.queue);
        UserQueue ann = first.queue;
        queue.grant(first, ann, 1);
        assertThat(queue.nobodyInTurn()).isTrue();
        assertThat(queue.find(second.account)).isNull();

        queue.endCharge(ann, 1);
        assertThat(queue.find(first.account)).isNull();
    }

    @Test
    void whoeverIsAtTheOwnCapIsPassedOver() {
        Waiter first = enqueue("ann");
        Waiter second = enqueue("ann");
        assertThat(queue.next(Slots.ALL)).isSameAs(first);
        Permit permit = grant(first);
        assertThat(queue.next(Slots.ALL)).isNull();

        capacity.leave(Permit.Place.ALL, permit);

        assertThat(queue.next(Slots.ALL)).isSameAs(second);
    }

    @Test
    void aHigherPriorityGoesFirstAmongTheUsersOwn() {
        enqueue("ann", Priority.NORMAL);
        Waiter low = enqueue("ann", Priority.LOW);
        Waiter high = enqueue("ann", Priority.HIGH);

        assertThat(queue.next(Slots.ALL)).isSameAs(high);
        assertThat(low.queue.before(low)).isSameAs(low.queue.before(low)).isNotNull();
        assertThat(high.queue.before(high)).isNull();
    }

    private Waiter enqueue(String user) {
        return enqueue(user, Priority.NORMAL);
    }

    private Waiter enqueue(String user, Priority priority) {
        String id = user + "-" + arrivals;
        Account account = accounts.user(user, AdmissionLimits.DEFAULT_GROUP);
        Waiter waiter = new Waiter(
                new AdmissionRequest(
                        id, user, List.of(), 1, OptionalLong.empty(), Duration.ofSeconds(1), priority, false),
                account,
                controller);
        waiter.sequence = arrivals++;
        waiter.bytes = 1;
        queue.enqueue(waiter, queue.userFor(account));
        return waiter;
    }

    private Permit grant(Waiter waiter) {
        Permit permit = new Permit(waiter, Slots.ALL, queue, 0, controller);
        queue.grant(waiter, waiter.queue, 1);
        capacity.enter(Permit.Place.ALL, permit);
        return permit;
    }
}
