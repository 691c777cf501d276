package dev.weir.admission;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request for a permit, from its arrival to its end.
 *
 * <p>It ends by one compare-and-set of its state; whoever wins it owns what follows, whoever loses does nothing. A
 * cancel may win before it has the lock: the waiter is then dead in its queue for a moment, and a grant that meets it
 * loses and hands the slot on. The other fields are guarded by the controller's lock until the waiter has ended, and do
 * not change afterwards.
 */
final class Waiter implements Admission {

    enum State {
        WAITING,
        GRANTED,
        TIMED_OUT,
        CANCELLED,
        REJECTED
    }

    final AdmissionRequest request;
    private final FairAdmissionController controller;
    private final PermitStage stage = new PermitStage(this::cancel);
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);

    /** Order of arrival; breaks ties between users and between deadlines. */
    long sequence;

    long bytes;
    long arrivedNanos;
    long deadlineNanos;

    /** Expected run time, from history at the arrival. */
    double expectedNanos;

    /** Queries that overtook this one while it was its turn and memory was lacking. */
    int passes;

    /** The queue this one stands in, and its neighbours there; null while it stands in none. */
    @Nullable
    UserQueue queue;

    @Nullable
    Waiter ahead;

    @Nullable
    Waiter behind;

    @Nullable
    private Permit permit;

    @Nullable
    private Rejection rejection;

    /** Guarded by this. */
    private boolean announced;

    Waiter(AdmissionRequest request, FairAdmissionController controller) {
        this.request = request;
        this.controller = controller;
    }

    @Override
    public CompletionStage<RunPermit> permit() {
        return stage;
    }

    @Override
    public boolean cancel() {
        return controller.cancel(this);
    }

    boolean isWaiting() {
        return state.get() == State.WAITING;
    }

    /** Ends the wait with a permit; false when it had ended already and the permit must not be used. */
    boolean markGranted(Permit granted) {
        if (!markEnded(State.GRANTED)) {
            return false;
        }
        permit = granted;
        return true;
    }

    /** Ends the wait with a refusal; false when it had ended already. */
    boolean markRefused(State refused, Rejection why) {
        if (!markEnded(refused)) {
            return false;
        }
        rejection = why;
        return true;
    }

    boolean markCancelled() {
        return markEnded(State.CANCELLED);
    }

    private boolean markEnded(State end) {
        return state.compareAndSet(State.WAITING, end);
    }

    /** Tells the listener once that this request was queued; whoever tells of its end comes after. */
    synchronized void announceQueued(Callbacks callbacks) {
        if (!announced) {
            announced = true;
            callbacks.tell(listener -> listener.queued(request));
        }
    }

    /** Tells of the end, first the listener, then whoever asked. Without the lock, once, after the state has ended. */
    void announceEnd(Callbacks callbacks) {
        Permit granted = permit;
        Rejection refused = rejection;
        if (granted != null) {
            callbacks.tell(listener -> listener.granted(request, granted));
            stage.grant(granted);
        } else if (refused != null) {
            callbacks.tell(listener -> listener.rejected(request, refused));
            stage.fail(new AdmissionRejectedException(refused));
        } else {
            callbacks.tell(listener -> listener.cancelled(request));
            stage.fail(new CancellationException("the query was cancelled while it waited"));
        }
    }
}
