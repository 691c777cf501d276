package dev.weir.admission;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request for a permit, from its arrival to its end.
 *
 * <p>It ends by one compare-and-set; whoever wins it owns what follows, whoever loses does nothing. A
 * cancel may win before it has the lock: the waiter is then dead in its queue for a moment, and a grant that meets it
 * loses and hands the slot on. The other fields are guarded by the controller's lock until the waiter has ended, and do
 * not change afterwards.
 */
final class Waiter implements Admission {

    /** How a wait ended, with what whoever asked is to be told. */
    sealed interface End {

        record Granted(Permit permit) implements End {}

        /** Timed out or refused; the rejection says which. */
        record Refused(Rejection rejection) implements End {}

        record Cancelled() implements End {}
    }

    final AdmissionRequest request;
    private final FairAdmissionController controller;
    private final PermitStage stage = new PermitStage(this::cancel);

    /** Null while it waits. */
    private final AtomicReference<@Nullable End> end = new AtomicReference<>();

    /** Order of arrival; breaks ties between users and between deadlines. */
    long sequence;

    long bytes;
    long arrivedNanos;
    long deadlineNanos;

    /** Expected run time, from history at the arrival. */
    double expectedNanos;

    /** Whose query it is. */
    final Account account;

    /** Had a permit before. */
    private boolean again;

    /** Sent back by the engine, and not to run before this moment. */
    boolean backsOff;

    long notBeforeNanos;

    /** Whether its reservation is what was learned of its statement. */
    boolean learnedBytes;

    QueryClass queryClass = QueryClass.HEAVY;

    /** Where it waits, or would. */
    Slots slots = Slots.ALL;

    /** Queries that overtook this one while it was its turn and memory was lacking. */
    int passes;

    /** The queue this one stands in, and its neighbours there; null while it stands in none. */
    @Nullable
    UserQueue queue;

    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    /** Guarded by this. */
    private boolean announced;

    Waiter(AdmissionRequest request, Account account, FairAdmissionController controller) {
        this.request = request;
        this.account = account;
        this.controller = controller;
    }

    /**
     * One that had a permit and waits once more, in the place that it had: its arrival is moved so that only time in the
     * queue counts, and it has what was left of its time to wait.
     */
    static Waiter again(Waiter before, Permit permit, long now) {
        Waiter waiter = new Waiter(before.request, before.account, before.controller);
        waiter.sequence = before.sequence;
        waiter.arrivedNanos = now - permit.queuedNanos();
        waiter.deadlineNanos = waiter.arrivedNanos + (before.deadlineNanos - before.arrivedNanos);
        waiter.expectedNanos = before.expectedNanos;
        waiter.queryClass = before.queryClass;
        waiter.slots = before.slots;
        waiter.bytes = before.bytes;
        waiter.learnedBytes = before.learnedBytes;
        waiter.passes = before.passes;
        waiter.again = true;
        return waiter;
    }

    /** One whose permit was closed before it could be given back. */
    Waiter ended() {
        if (markCancelled()) {
            stage.fail(new CancellationException("the permit is closed"));
        }
        return this;
    }

    @Override
    public CompletionStage<RunPermit> permit() {
        return stage;
    }

    @Override
    public boolean cancel() {
        return controller.cancel(this);
    }

    /** Whether it was overtaken so often that nobody is to overtake it any more. */
    boolean wasPassedOver() {
        return passes >= FairQueue.MAX_PASSES;
    }

    boolean isWaiting() {
        return end.get() == null;
    }

    @Nullable
    End end() {
        return end.get();
    }

    /** Ends the wait with a permit; false when it had ended already and the permit must not be used. */
    boolean markGranted(Permit permit) {
        return end.compareAndSet(null, new End.Granted(permit));
    }

    /** Ends the wait with a refusal; false when it had ended already. */
    boolean markRefused(Rejection rejection) {
        return end.compareAndSet(null, new End.Refused(rejection));
    }

    /** Ends the wait because nobody wants the permit any more; false when it had ended already. */
    boolean markCancelled() {
        return end.compareAndSet(null, new End.Cancelled());
    }

    /** Tells the listener once that this request waits; whoever tells of its end comes after. */
    synchronized void announceQueued(Callbacks callbacks) {
        if (announced) {
            return;
        }
        announced = true;
        if (again) {
            callbacks.tell(listener -> listener.returned(request));
        } else {
            callbacks.tell(listener -> listener.queued(request));
        }
    }

    /** Tells of the end, first the listener, then whoever asked. Without the lock, once, by whoever ended it. */
    void announceEnd(Callbacks callbacks) {
        End ended = end.get();
        if (ended instanceof End.Granted granted) {
            callbacks.tell(listener -> listener.granted(request, granted.permit()));
            stage.grant(granted.permit());
        } else if (ended instanceof End.Refused refused) {
            callbacks.tell(listener -> listener.rejected(request, refused.rejection()));
            stage.fail(new AdmissionRejectedException(refused.rejection()));
        } else {
            callbacks.tell(listener -> listener.cancelled(request));
            stage.fail(new CancellationException("the query was cancelled while it waited"));
        }
    }
}
