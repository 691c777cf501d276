package dev.weir.gateway.query;

import dev.weir.admission.Admission;
import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionRejectedException;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.Explanation;
import dev.weir.admission.QueryClass;
import dev.weir.admission.Rejection;
import dev.weir.admission.RunPermit;
import dev.weir.admission.RunTimeStats;
import dev.weir.admission.WaitInfo;
import dev.weir.admission.WaitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Grants at once, or when the test says so; counts what is held. */
final class FakeAdmission implements AdmissionController {

    final List<Waiter> waiting = new ArrayList<>();
    final AtomicInteger held = new AtomicInteger();
    final List<RunPermit.Outcome> outcomes = new ArrayList<>();
    boolean grantAtOnce = true;
    boolean pausesAllowed;
    boolean slotFreeAtOnce = true;
    boolean shortLane;
    int pausesAsked;
    final AtomicInteger pausedNow = new AtomicInteger();

    /** Whether permits are granted with a reservation that was learned. */
    boolean learnedReservation;

    final List<Long> peaks = new ArrayList<>();

    /** Of permits that were given back since the engine was full, and how many were for the default reservation. */
    final List<Duration> backoffs = new ArrayList<>();

    int forDefault;

    /** Runs while a permit is given back, before its query knows of the new wait. */
    Runnable onGiveBack = () -> {};

    /** Who waits for the slot it lent. */
    CompletableFuture<Void> resuming;

    WaitReason reason = WaitReason.MAX_RUNNING;
    Explanation explanation;
    AdmissionRequest explained;
    AdmissionSnapshot snapshot;
    List<RunTimeStats> learned = List.of();

    final class Waiter implements Admission {
        final AdmissionRequest request;
        final CompletableFuture<RunPermit> permit = new CompletableFuture<>();

        Waiter(AdmissionRequest request) {
            this.request = request;
        }

        void grant() {
            held.incrementAndGet();
            Permit granted = new Permit(request);
            if (!permit.complete(granted)) {
                granted.close(RunPermit.Outcome.CANCELLED);
            }
        }

        void refuse(Rejection rejection) {
            permit.completeExceptionally(new AdmissionRejectedException(rejection));
        }

        @Override
        public CompletionStage<RunPermit> permit() {
            return permit;
        }

        @Override
        public boolean cancel() {
            return permit.completeExceptionally(new CancellationException());
        }
    }

    private final class Permit implements RunPermit {
        private final AdmissionRequest request;
        private final boolean learned = learnedReservation;
        private boolean closed;
        private boolean paused;

        Permit(AdmissionRequest request) {
            this.request = request;
        }

        @Override
        public boolean hasLearnedReservation() {
            return learned;
        }

        @Override
        public void measuredPeak(long bytes) {
            peaks.add(bytes);
        }

        @Override
        public Admission giveBack(Duration backoff) {
            backoffs.add(backoff);
            return giveBack();
        }

        @Override
        public Admission giveBackForDefault() {
            learnedReservation = false;
            forDefault++;
            return giveBack();
        }

        private synchronized Admission giveBack() {
            Waiter again = new Waiter(request);
            if (closed) {
                again.cancel();
                return again;
            }
            closed = true;
            held.decrementAndGet();
            waiting.add(again);
            onGiveBack.run();
            return again;
        }

        @Override
        public long reservedBytes() {
            return 1000;
        }

        @Override
        public long queuedNanos() {
            return 0;
        }

        @Override
        public String group() {
            return AdmissionLimits.DEFAULT_GROUP;
        }

        @Override
        public QueryClass queryClass() {
            return QueryClass.HEAVY;
        }

        @Override
        public boolean inShortLane() {
            return shortLane;
        }

        @Override
        public synchronized boolean pause() {
            pausesAsked++;
            boolean lent = pausesAllowed && !closed && !paused;
            if (lent) {
                paused = true;
                pausedNow.incrementAndGet();
            }
            return lent;
        }

        @Override
        public synchronized CompletionStage<Void> resume() {
            if (paused) {
                paused = false;
                pausedNow.decrementAndGet();
            }
            if (slotFreeAtOnce) {
                return CompletableFuture.completedFuture(null);
            }
            resuming = new CompletableFuture<>();
            return resuming;
        }

        @Override
        public synchronized void close(Outcome outcome) {
            if (!closed) {
                closed = true;
                held.decrementAndGet();
                outcomes.add(outcome);
                if (resuming != null) {
                    resuming.completeExceptionally(new CancellationException("closed"));
                }
            }
        }
    }

    @Override
    public synchronized Admission admit(AdmissionRequest request) {
        Waiter waiter = new Waiter(request);
        if (grantAtOnce) {
            waiter.grant();
        } else {
            waiting.add(waiter);
        }
        return waiter;
    }

    @Override
    public AdmissionSnapshot snapshot() {
        if (snapshot != null) {
            return snapshot;
        }
        AdmissionLimits limits = AdmissionLimits.flat(1, 1, Duration.ofSeconds(1), 1000, 1000, 1000, 1, 1);
        return new AdmissionSnapshot(
                limits, held.get(), 0, waiting.size(), 0, 0, List.of(), List.of(), Map.of(), false, false);
    }

    @Override
    public Optional<WaitInfo> waitInfo(String queryId) {
        return waiting.stream()
                .filter(waiter -> waiter.request.queryId().equals(queryId))
                .map(waiter -> new WaitInfo(1, reason, Duration.ZERO, Optional.empty()))
                .findFirst();
    }

    @Override
    public void update(AdmissionLimits limits) {}

    @Override
    public Explanation explain(AdmissionRequest request) {
        explained = request;
        return explanation;
    }

    @Override
    public List<RunTimeStats> history(int most) {
        return learned.subList(0, Math.min(most, learned.size()));
    }

    @Override
    public void learnMemory(boolean learn) {}

    @Override
    public void hold(@Nullable WaitReason why) {}

    @Override
    public void resume() {}

    @Override
    public CompletionStage<Void> drain() {
        return CompletableFuture.completedFuture(null);
    }
}
