package dev.weir.engine.cluster;

import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.remote.WorkerReport;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Asks each worker for its figures, then for the answer to a real query, again and again. Thread-safe. */
final class HealthChecks {

    private final Members members;
    private final ClusterTimers timers;
    private final Duration timeout;

    HealthChecks(Members members, ClusterTimers timers, Duration timeout) {
        this.members = members;
        this.timers = timers;
        this.timeout = timeout;
    }

    /** Checks a worker now and from now on, until it is no member any more. */
    void watch(Member member) {
        if (!members.has(member)) {
            return;
        }
        bounded(member.link.report().get(), (report, failure) -> {
            if (report == null) {
                done(member, null, failure);
            } else if (report.draining()) {
                done(member, report, null);
            } else {
                bounded(member.link.engine().check(), (nothing, unanswered) -> done(member, report, unanswered));
            }
        });
    }

    private void done(Member member, @Nullable WorkerReport report, @Nullable Throwable failure) {
        if (report != null && failure == null) {
            members.answered(member, report);
        } else {
            members.failed(member, failure == null ? "no answer" : reason(failure));
        }
        timers.schedule(members.untilNextCheck(member), () -> watch(member));
    }

    private static String reason(Throwable failure) {
        String message = Tries.engineFailure(failure).getMessage();
        return message == null ? "no answer" : message;
    }

    /** Tells once how a call ended, at the latest after the timeout. */
    private <T> void bounded(EngineCall<T> call, BiConsumer<@Nullable T, @Nullable Throwable> told) {
        AtomicBoolean over = new AtomicBoolean();
        Runnable untimed = timers.schedule(timeout, () -> {
            if (over.compareAndSet(false, true)) {
                call.cancel();
                told.accept(
                        null,
                        new EngineException(
                                EngineFailure.UNAVAILABLE, "no answer within " + timeout.toMillis() + " ms"));
            }
        });
        call.result().whenComplete((value, thrown) -> {
            if (over.compareAndSet(false, true)) {
                untimed.run();
                told.accept(value, thrown);
            }
        });
    }
}
