package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FairQueueTest {

    private final Capacity capacity = new Capacity(Limits.running(1).build());
    private final FairQueue queue = new FairQueue(capacity);
    private final FairAdmissionController controller = new FairAdmissionController(
            Limits.running(1).build(),
            () -> 0,
            (task, delay) -> () -> {},
            new Callbacks(Runnable::run, AdmissionListener.NONE));
    private long arrivals;

    @Test
    void aWaiterThatLeavesIsForgottenWholly() {
        Waiter first = enqueue("ann");
        Waiter second = enqueue("bob");

        queue.withdraw(second);
        queue.withdraw(second);
        Permit permit = grant(first);
        assertThat(queue.waiters()).isEmpty();
        assertThat(queue.waiter("ann-0")).isNull();
        assertThat(queue.waiter("bob-1")).isNull();
        assertThat(queue.nobodyInTurn()).isTrue();
        assertThat(capacity.queued()).isZero();

        queue.release(permit, 1);
        assertThat(queue.users()).isEmpty();
        assertThat(capacity.isIdle()).isTrue();
    }

    @Test
    void onlyUsersWhoCouldStartAQueryAreInTurn() {
        capacity.limits(Limits.running(5).userRunning(1).build());
        Permit permit = grant(enqueue("ann"));
        Waiter second = enqueue("ann");
        assertThat(queue.nobodyInTurn()).isTrue();
        assertThat(queue.next()).isNull();

        queue.release(permit, 1);

        assertThat(queue.next()).isSameAs(second);
    }

    private Waiter enqueue(String user) {
        String id = user + "-" + arrivals;
        Waiter waiter = new Waiter(
                new AdmissionRequest(id, user, List.of(), 1, OptionalLong.empty(), Duration.ofSeconds(1)), controller);
        waiter.sequence = arrivals++;
        waiter.bytes = 1;
        queue.enqueue(waiter, queue.userFor(user));
        return waiter;
    }

    private Permit grant(Waiter waiter) {
        Permit permit = new Permit(waiter, waiter.queue, 1, 1, 0, controller);
        queue.grant(waiter, permit);
        return permit;
    }
}
