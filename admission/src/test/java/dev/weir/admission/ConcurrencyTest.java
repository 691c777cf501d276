package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads on one controller with a real clock: limits hold at every moment and nothing is left at the end. */
class ConcurrencyTest {

    private static final int THREADS = 8;
    private static final int CAP = 5;
    private static final long BUDGET = 100;

    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService callbacks = Executors.newFixedThreadPool(2);
    private final ExecutorService clients = Executors.newFixedThreadPool(THREADS);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicLong reserved = new AtomicLong();
    private final AtomicInteger violations = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger ended = new AtomicInteger();
    private final Tally tally = new Tally();
    private final AdmissionController controller = AdmissionControllers.create(
            Limits.running(CAP)
                    .memory(BUDGET)
                    .perQuery(10)
                    .queued(200)
                    .userQueued(60)
                    .userRunning(3)
                    .build(),
            timer,
            callbacks,
            tally);

    @AfterEach
    void stop() {
        clients.shutdownNow();
        callbacks.shutdownNow();
        timer.shutdownNow();
    }

    @Test
    void limitsHoldAndNothingIsLeftUnderEightThreads() {
        storm(4_000);
    }

    @Test
    @Tag("full")
    void limitsHoldAndNothingIsLeftUnderEightThreadsForLong() {
        storm(100_000);
    }

    private void storm(int queriesPerThread) {
        for (int i = 0; i < THREADS; i++) {
            long seed = new Random().nextLong();
            clients.execute(() -> client(new Random(seed), queriesPerThread));
        }
        await().atMost(Duration.ofSeconds(600))
                .until(() -> asked.get() == THREADS * queriesPerThread && ended.get() == asked.get());

        assertThat(violations).hasValue(0);
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(controller.snapshot())
                        .isEqualTo(Gate.nothing(controller.snapshot().limits())));
        await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> tally.assertBalanced(asked.get()));
        assertThat(controller.drain().toCompletableFuture()).succeedsWithin(Duration.ofSeconds(10));
    }

    private void client(Random random, int queries) {
        List<Admission> recent = new ArrayList<>();
        for (int i = 0; i < queries; i++) {
            String user = "user" + random.nextInt(4);
            Admission admission = controller.admit(new AdmissionRequest(
                    "q" + asked.incrementAndGet(),
                    user,
                    List.of(),
                    random.nextInt(5),
                    OptionalLong.of(1 + random.nextInt(40)),
                    Duration.ofMillis(random.nextInt(50))));
            follow(admission, random.nextInt(2_000), random.nextInt(8) == 0 ? 1 + random.nextInt(3) : 0);
            recent.add(admission);
            if (recent.size() > 10) {
                recent.remove(random.nextInt(recent.size())).cancel();
            }
        }
    }

    /**
     * @param busy how often the engine has no place for it
     */
    private void follow(Admission admission, int spin, int busy) {
        admission.permit().whenComplete((permit, failure) -> {
            if (permit != null && busy > 0) {
                follow(permit.giveBack(Duration.ofNanos(spin * 1_000L)), spin, busy - 1);
                permit.close(RunPermit.Outcome.FAILED);
                return;
            }
            if (permit != null) {
                run(permit, spin);
            }
            ended.incrementAndGet();
        });
    }

    private void run(RunPermit permit, int spin) {
        if (running.incrementAndGet() > CAP || reserved.addAndGet(permit.reservedBytes()) > BUDGET) {
            violations.incrementAndGet();
        }
        for (int i = 0; i < spin; i++) {
            Thread.onSpinWait();
        }
        reserved.addAndGet(-permit.reservedBytes());
        running.decrementAndGet();
        permit.close(RunPermit.Outcome.FINISHED);
        permit.close(RunPermit.Outcome.CANCELLED);
    }

    @Test
    void ofManyClosesAtOnceOneCounts() throws InterruptedException {
        for (int round = 0; round < 500; round++) {
            RunPermit[] permit = new RunPermit[1];
            Admission first = controller.admit(request("first" + round));
            first.permit().thenAccept(granted -> permit[0] = granted);
            CountDownLatch start = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(4);
            for (RunPermit.Outcome outcome : List.of(
                    RunPermit.Outcome.FINISHED,
                    RunPermit.Outcome.FAILED,
                    RunPermit.Outcome.CANCELLED,
                    RunPermit.Outcome.FINISHED)) {
                clients.execute(() -> {
                    awaitLatch(start);
                    permit[0].close(outcome);
                    done.countDown();
                });
            }
            start.countDown();
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
            assertThat(controller.snapshot().running()).isZero();
            assertThat(controller.snapshot().reservedBytes()).isZero();
        }
        assertThat(tally.released).hasValue(500);
    }

    @Test
    void aGrantThatMeetsACancelEndsAsOneOfThem() throws InterruptedException {
        for (int round = 0; round < 2_000; round++) {
            RunPermit[] holders = new RunPermit[3];
            for (int i = 0; i < 3; i++) {
                int index = i;
                controller.admit(request("h" + round + "-" + i)).permit().thenAccept(p -> holders[index] = p);
            }
            AtomicInteger granted = new AtomicInteger();
            AtomicInteger failed = new AtomicInteger();
            Admission waiting = controller.admit(request("w" + round));
            waiting.permit().whenComplete((permit, failure) -> {
                if (permit == null) {
                    failed.incrementAndGet();
                } else {
                    permit.close(RunPermit.Outcome.FINISHED);
                    granted.incrementAndGet();
                }
            });
            CountDownLatch done = new CountDownLatch(1);
            boolean[] cancelled = new boolean[1];
            clients.execute(() -> {
                cancelled[0] = waiting.cancel();
                done.countDown();
            });
            holders[0].close(RunPermit.Outcome.FINISHED);
            assertThat(done.await(10, TimeUnit.SECONDS)).isTrue();
            await().atMost(Duration.ofSeconds(10))
                    .pollInterval(Duration.ofNanos(10_000))
                    .pollDelay(Duration.ZERO)
                    .until(() -> granted.get() + failed.get() == 1);
            assertThat(failed.get() == 1).isEqualTo(cancelled[0]);
            holders[1].close(RunPermit.Outcome.FINISHED);
            holders[2].close(RunPermit.Outcome.FINISHED);
            assertThat(controller.snapshot().running()).isZero();
            assertThat(controller.snapshot().queued()).isZero();
        }
    }

    private static AdmissionRequest request(String id) {
        return new AdmissionRequest(id, "ann", List.of(), 1, OptionalLong.empty(), Duration.ofHours(1));
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class Tally implements AdmissionListener {

        final AtomicInteger queuedAfterTheEnd = new AtomicInteger();
        final Set<String> ended = ConcurrentHashMap.newKeySet();
        final AtomicInteger granted = new AtomicInteger();
        final AtomicInteger rejected = new AtomicInteger();
        final AtomicInteger cancelled = new AtomicInteger();
        final AtomicInteger released = new AtomicInteger();
        final AtomicInteger returned = new AtomicInteger();

        @Override
        public void queued(AdmissionRequest request) {
            if (ended.contains(request.queryId())) {
                queuedAfterTheEnd.incrementAndGet();
            }
        }

        @Override
        public void granted(AdmissionRequest request, RunPermit permit) {
            granted.incrementAndGet();
            ended.add(request.queryId());
        }

        @Override
        public void rejected(AdmissionRequest request, Rejection rejection) {
            rejected.incrementAndGet();
            ended.add(request.queryId());
        }

        @Override
        public void cancelled(AdmissionRequest request) {
            cancelled.incrementAndGet();
            ended.add(request.queryId());
        }

        @Override
        public void returned(AdmissionRequest request) {
            returned.incrementAndGet();
        }

        @Override
        public void released(AdmissionRequest request, RunPermit.Outcome outcome, long heldNanos) {
            released.incrementAndGet();
        }

        void assertBalanced(int asked) {
            assertThat(returned.get()).isPositive();
            assertThat(granted.get() + rejected.get() + cancelled.get()).isEqualTo(asked + returned.get());
            assertThat(released.get() + returned.get()).isEqualTo(granted.get());
            assertThat(queuedAfterTheEnd).hasValue(0);
        }
    }
}
