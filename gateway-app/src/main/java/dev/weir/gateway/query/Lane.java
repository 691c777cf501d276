package dev.weir.gateway.query;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.RunPermit;
import dev.weir.auth.Identity;
import dev.weir.engine.EngineCall;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A small lane beside the queue, for calls that must answer although every run slot is taken: describing, catalog
 * questions. Places are few and shared fairly between users, since describing can cost as much as running; every call
 * has a deadline that covers its wait, too.
 */
final class Lane {

    private final AdmissionController places;
    private final Timers timers;
    private final Duration timeout;

    Lane(AdmissionController places, Timers timers, Duration timeout) {
        this.places = places;
        this.timers = timers;
        this.timeout = timeout;
    }

    /**
     * Runs one call.
     *
     * @param start starts the engine's work once there is a place
     * @param finish turns the engine's answer into the caller's; owns the place from then on and closes it
     * @return a caller that gives the call up completes its future with a failure
     */
    <T, R> CompletionStage<R> run(
            Identity identity, Supplier<EngineCall<T>> start, BiFunction<T, RunPermit, R> finish) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        Admission asked = places.admit(new AdmissionRequest(
                QueryIds.next(0), identity.user(), identity.groups(), 0, OptionalLong.empty(), timeout));
        asked.permit().whenComplete((place, refused) -> {
            if (place != null) {
                call(start, finish, place, answer);
            } else if (!answer.isDone()) {
                answer.completeExceptionally(
                        Failures.of(refused == null ? new IllegalStateException("no place") : refused, null, true));
            }
        });
        answer.whenComplete((finished, failure) -> {
            if (failure != null) {
                asked.cancel();
            }
        });
        return answer;
    }

    private <T, R> void call(
            Supplier<EngineCall<T>> start,
            BiFunction<T, RunPermit, R> finish,
            RunPermit place,
            CompletableFuture<R> answer) {
        if (answer.isDone()) {
            place.close(RunPermit.Outcome.CANCELLED);
            return;
        }
        EngineCall<T> call;
        try {
            call = start.get();
        } catch (RuntimeException e) {
            place.close(RunPermit.Outcome.FAILED);
            answer.completeExceptionally(Failures.of(e, null, true));
            return;
        }
        // Late, given up, or failed by itself; then the cancel finds nothing to do.
        answer.whenComplete((finished, failure) -> {
            if (failure != null) {
                call.cancel();
            }
        });
        AtomicBoolean late = new AtomicBoolean();
        Timers.Timer deadline = timers.schedule(timeout, () -> {
            late.set(true);
            answer.completeExceptionally(timedOut(timeout));
        });
        call.result().whenComplete((value, thrown) -> {
            deadline.cancel();
            if (value == null) {
                // The place is free only when the engine has stopped: that is what the lane rations.
                call.stopped().whenComplete((nothing, never) -> place.close(RunPermit.Outcome.FAILED));
                answer.completeExceptionally(late.get() ? timedOut(timeout) : failure(thrown));
                return;
            }
            finished(value, finish, place, answer);
        });
    }

    private static <T, R> void finished(
            T value, BiFunction<T, RunPermit, R> finish, RunPermit place, CompletableFuture<R> answer) {
        try {
            R finished = finish.apply(value, place);
            if (!answer.complete(finished) && finished instanceof ResultStream unread) {
                unread.close();
            }
        } catch (RuntimeException e) {
            place.close(RunPermit.Outcome.FAILED);
            answer.completeExceptionally(Failures.of(e, null, true));
        }
    }

    private static GatewayException failure(@Nullable Throwable thrown) {
        return Failures.of(thrown == null ? new IllegalStateException("no answer") : thrown, null, true);
    }

    static GatewayException timedOut(Duration timeout) {
        return new GatewayException(
                GatewayErrorCode.STATEMENT_TIMEOUT,
                "Describing the statement took longer than describe-timeout (" + timeout.toMillis()
                        + " ms); constant expressions are computed when a statement is described.",
                ErrorDetails.ofLimit("query", "describe-timeout", timeout.toMillis() + " ms"));
    }
}
