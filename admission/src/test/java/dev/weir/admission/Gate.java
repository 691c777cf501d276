package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** A controller on virtual time, with queries that remember what became of them. */
final class Gate {

    static final Duration FOREVER = Duration.ofDays(365_000);

    final VirtualTime time = new VirtualTime();
    final List<String> events = new ArrayList<>();

    /** Queries in the order in which they were granted. */
    final List<String> granted = new ArrayList<>();

    final AdmissionController controller;
    private int ids;

    Gate(Limits limits) {
        this(limits, Runnable::run);
    }

    Gate(Limits limits, Executor callbacks) {
        this(limits.build(), callbacks);
    }

    Gate(AdmissionLimits limits, Executor callbacks) {
        controller = AdmissionControllers.create(limits, time, time, callbacks, new Recorder());
    }

    Gate(Tree limits) {
        this(limits.build(), Runnable::run);
    }

    /** The snapshot of a controller that has nothing to do. */
    static AdmissionSnapshot nothing(AdmissionLimits limits) {
        return new AdmissionSnapshot(limits, 0, 0, 0, 0, 0, List.of(), List.of(), Map.of(), false, false);
    }

    Query submit(String user) {
        return submit(user, user, OptionalLong.empty(), FOREVER);
    }

    Query submit(String user, long bytes) {
        return submit(user, user, OptionalLong.of(bytes), FOREVER);
    }

    Query submit(String user, Duration queueTimeout) {
        return submit(user, user, OptionalLong.empty(), queueTimeout);
    }

    Query submit(String user, String statement, OptionalLong bytes, Duration queueTimeout) {
        String id = user + "-" + ids++;
        return new Query(
                id,
                controller.admit(new AdmissionRequest(id, user, List.of(), statement.hashCode(), bytes, queueTimeout)));
    }

    /** A query of a user of this group. */
    Query submitIn(String group, String user, String statement) {
        return submit(new AdmissionRequest(
                user + "-" + ids++, user, List.of(group), statement.hashCode(), OptionalLong.empty(), FOREVER));
    }

    Query submit(AdmissionRequest request) {
        return new Query(request.queryId(), controller.admit(request));
    }

    AdmissionRequest request(String user, String statement) {
        return request(user, statement, Priority.NORMAL, false);
    }

    AdmissionRequest request(String user, String statement, Priority priority, boolean heavy) {
        return new AdmissionRequest(
                user + "-" + ids++,
                user,
                List.of(),
                statement.hashCode(),
                OptionalLong.empty(),
                FOREVER,
                priority,
                heavy);
    }

    /** Runs a statement so that its run time is known. */
    void teach(String user, String statement, Duration runTime) {
        Query query = submit(request(user, statement));
        time.advance(runTime);
        query.finish();
    }

    /** Teaches the controller how long a user's queries take, on an otherwise idle gate. */
    void learn(String user, Duration runTime) {
        Query query = submit(user);
        time.advance(runTime);
        query.finish();
    }

    WaitInfo wait(Query query) {
        return controller.waitInfo(query.id).orElseThrow();
    }

    void assertIdle() {
        AdmissionSnapshot now = controller.snapshot();
        assertThat(now.running()).isZero();
        assertThat(now.queued()).isZero();
        assertThat(now.paused()).isZero();
        assertThat(now.shortRunning()).isZero();
        assertThat(now.groups()).isEmpty();
        assertThat(now.reservedBytes()).isZero();
        assertThat(now.users()).isEmpty();
    }

    /** One request and its end. */
    final class Query {

        final String id;
        Admission admission;

        @Nullable
        RunPermit permit;

        @Nullable
        Rejection rejection;

        boolean cancelled;

        Query(String id, Admission admission) {
            this.id = id;
            follow(admission);
        }

        private void follow(Admission asked) {
            admission = asked;
            asked.permit().whenComplete((granted, failure) -> {
                permit = granted;
                if (failure instanceof AdmissionRejectedException refused) {
                    rejection = refused.rejection();
                }
                cancelled = failure instanceof CancellationException;
            });
        }

        boolean isRunning() {
            return permit != null;
        }

        boolean isWaiting() {
            return permit == null && rejection == null && !cancelled;
        }

        /** The engine had no place. */
        void giveBack(Duration backoff) {
            RunPermit held = permit;
            permit = null;
            follow(held.giveBack(backoff));
        }

        /** What was learned of its memory was too little. */
        void giveBackForDefault() {
            RunPermit held = permit;
            permit = null;
            follow(held.giveBackForDefault());
        }

        void finish() {
            assertThat(permit).as(id + " runs").isNotNull();
            permit.close(RunPermit.Outcome.FINISHED);
        }
    }

    private final class Recorder implements AdmissionListener {

        @Override
        public void queued(AdmissionRequest request) {
            events.add("queued " + request.queryId());
        }

        @Override
        public void granted(AdmissionRequest request, RunPermit permit) {
            granted.add(request.queryId());
            events.add("granted " + request.queryId());
        }

        @Override
        public void rejected(AdmissionRequest request, Rejection rejection) {
            events.add("rejected " + request.queryId());
        }

        @Override
        public void cancelled(AdmissionRequest request) {
            events.add("cancelled " + request.queryId());
        }

        @Override
        public void paused(AdmissionRequest request) {
            events.add("paused " + request.queryId());
        }

        @Override
        public void resumed(AdmissionRequest request) {
            events.add("resumed " + request.queryId());
        }

        @Override
        public void overran(AdmissionRequest request) {
            events.add("overran " + request.queryId());
        }

        @Override
        public void returned(AdmissionRequest request) {
            events.add("returned " + request.queryId());
        }

        @Override
        public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
            events.add("released " + request.queryId());
        }
    }
}
