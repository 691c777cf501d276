package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random calls on the controller, held after each step against a model that is nothing but lists. A failure names its
 * seed; {@code -Dweir.seed=N} runs that one again.
 */
class ControllerModelTest {

    private static final int USERS = 6;

    @RepeatedTest(20)
    void theControllerAgreesWithItsModelAtEveryStep() {
        new Run(seed()).steps(2_500);
    }

    @Test
    @Tag("full")
    void theControllerAgreesWithItsModelForAMillionSteps() {
        for (int i = 0; i < 100; i++) {
            new Run(seed()).steps(10_000);
        }
    }

    private static long seed() {
        return Long.getLong("weir.seed", new Random().nextLong());
    }

    private static final class Run {

        private final long seed;
        private final Random random;
        private final List<Runnable> handedOver = new ArrayList<>();
        private final Gate gate;
        private Limits limits;

        /** The model: who waits in order of arrival, who holds a permit, how many were granted so far. */
        private final List<Asked> waiting = new ArrayList<>();

        private final List<Asked> running = new ArrayList<>();
        private int grants;

        private final List<Asked> all = new ArrayList<>();
        private final List<Asked> grantedInStep = new ArrayList<>();

        private record Asked(Gate.Query query, String user, long bytes, Duration deadline, int grantsBefore) {}

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.limits = randomLimits();
            this.gate = new Gate(limits, this::execute);
        }

        /** An executor that runs a task now, later or never. */
        private void execute(Runnable task) {
            switch (random.nextInt(3)) {
                case 0 -> task.run();
                case 1 -> handedOver.add(task);
                default -> throw new RejectedExecutionException("full");
            }
        }

        void steps(int count) {
            int step = 0;
            try {
                for (; step < count; step++) {
                    grantedInStep.clear();
                    step();
                    catchUp();
                    check();
                }
                finish();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
            }
        }

        private void step() {
            int dice = random.nextInt(100);
            if (dice < 50) {
                submit();
            } else if (dice < 80) {
                release();
            } else if (dice < 87) {
                cancel();
            } else if (dice < 95) {
                gate.time.advance(Duration.ofMillis(random.nextInt(1_000)));
            } else if (dice < 97) {
                limits = randomLimits();
                gate.controller.update(limits.build());
            } else {
                deliver();
            }
        }

        private Limits randomLimits() {
            return Limits.running(1 + random.nextInt(6))
                    .queued(random.nextInt(12))
                    .timeout(Duration.ofMillis(1 + random.nextInt(20_000)))
                    .memory(50 + random.nextInt(100))
                    .perQuery(1 + random.nextInt(20))
                    .userRunning(1 + random.nextInt(4))
                    .userQueued(random.nextInt(6));
        }

        private void submit() {
            String user = "user" + random.nextInt(USERS);
            OptionalLong asksFor = random.nextBoolean() ? OptionalLong.empty() : OptionalLong.of(randomBytes());
            Duration timeout = Duration.ofMillis(random.nextInt(20_000) - 500);
            Duration allowed = timeout.compareTo(limits.queueTimeout()) < 0 ? timeout : limits.queueTimeout();
            Gate.Query query = gate.submit(user, user + random.nextInt(3), asksFor, timeout);
            Duration deadline = gate.time.elapsed().plus(allowed);
            Asked asked = new Asked(query, user, asksFor.orElse(limits.perQuery()), deadline, grants);
            all.add(asked);
            if (query.isRunning()) {
                granted(asked);
            } else if (query.isWaiting()) {
                waiting.add(asked);
                assertThat(waiting.size()).isLessThanOrEqualTo(limits.maxQueued());
                assertThat(waitingOf(user)).isLessThanOrEqualTo(limits.userMaxQueued());
            } else {
                checkRefusal(asked, allowed);
            }
        }

        private int randomBytes() {
            return random.nextInt(5) == 0 ? 1 + random.nextInt(160) : 1 + random.nextInt(30);
        }

        private void checkRefusal(Asked asked, Duration allowed) {
            if (asked.query.rejection instanceof Rejection.MemoryTooLarge) {
                assertThat(asked.bytes).isGreaterThan(limits.maxPerQuery());
            } else if (asked.query.rejection instanceof Rejection.QueueTimeout) {
                assertThat(allowed).isLessThanOrEqualTo(Duration.ZERO);
            } else if (((Rejection.QueueFull) asked.query.rejection).scope() == Rejection.Scope.USER) {
                assertThat(waitingOf(asked.user)).isGreaterThanOrEqualTo(limits.userMaxQueued());
            } else {
                assertThat(waiting.size()).isGreaterThanOrEqualTo(limits.maxQueued());
            }
            boolean couldStart = waitingOf(asked.user) == 0 && couldRun(asked) && nobodyHoldsTheHead();
            assertThat(couldStart && asked.bytes <= limits.maxPerQuery())
                    .as("%s was refused by %s though it could start", asked, asked.query.rejection)
                    .isFalse();
        }

        private void release() {
            List<Asked> heard =
                    running.stream().filter(asked -> asked.query.isRunning()).toList();
            if (heard.isEmpty()) {
                return;
            }
            Asked asked = heard.get(random.nextInt(heard.size()));
            running.remove(asked);
            RunPermit.Outcome[] outcomes = RunPermit.Outcome.values();
            for (int times = 1 + random.nextInt(3); times > 0; times--) {
                asked.query.permit.close(outcomes[random.nextInt(outcomes.length)]);
            }
        }

        private void cancel() {
            if (all.isEmpty()) {
                return;
            }
            Asked asked = all.get(all.size() - 1 - random.nextInt(Math.min(all.size(), 20)));
            assertThat(asked.query.admission.cancel()).isEqualTo(waiting.remove(asked));
        }

        private void deliver() {
            List<Runnable> tasks = new ArrayList<>(handedOver);
            handedOver.clear();
            tasks.forEach(Runnable::run);
        }

        private void granted(Asked asked) {
            running.add(asked);
            grantedInStep.add(asked);
            grants++;
        }

        /** Moves those that the last step ended, by what the controller says about each. */
        private void catchUp() {
            for (Asked asked : List.copyOf(waiting)) {
                if (gate.controller.waitInfo(asked.query.id).isPresent()) {
                    continue;
                }
                boolean first = heads().anyMatch(head -> head == asked);
                waiting.remove(asked);
                if (isGranted(asked)) {
                    assertThat(first)
                            .as("%s was granted in the order of arrival", asked)
                            .isTrue();
                    granted(asked);
                } else if (asked.query.rejection instanceof Rejection.QueueTimeout) {
                    assertThat(asked.deadline).isLessThanOrEqualTo(gate.time.elapsed());
                } else {
                    assertThat(asked.query.rejection).isInstanceOf(Rejection.MemoryTooLarge.class);
                    assertThat(asked.bytes).isGreaterThan(limits.maxPerQuery());
                }
            }
        }

        private boolean isGranted(Asked asked) {
            if (asked.query.isWaiting()) {
                deliver();
            }
            assertThat(asked.query.isWaiting()).as("%s was told its end", asked).isFalse();
            return asked.query.isRunning();
        }

        private void check() {
            AdmissionSnapshot now = gate.controller.snapshot();
            assertThat(now.running()).isEqualTo(running.size());
            assertThat(now.queued()).isEqualTo(waiting.size());
            assertThat(now.reservedBytes()).isEqualTo(reserved());
            assertThat(now.users()).isEqualTo(modelUsers());
            assertThat(gate.time.scheduled()).isLessThanOrEqualTo(1);
            checkLimitsOfGrants();
            for (Asked asked : waiting) {
                assertThat(asked.deadline).isGreaterThan(gate.time.elapsed());
                assertThat(gate.wait(asked.query).position()).isBetween(1, waiting.size());
            }
            if (nobodyHoldsTheHead()) {
                assertThat(heads().filter(this::couldRun))
                        .as("wait though they could run")
                        .isEmpty();
            }
        }

        /** A grant keeps every limit; without one, what runs may exceed limits that were lowered. */
        private void checkLimitsOfGrants() {
            if (grantedInStep.isEmpty()) {
                return;
            }
            assertThat(running.size()).isLessThanOrEqualTo(limits.maxRunning());
            assertThat(reserved()).isLessThanOrEqualTo(limits.budget());
            for (Asked asked : grantedInStep) {
                assertThat(runningOf(asked.user)).isLessThanOrEqualTo(limits.userMaxRunning());
            }
        }

        private boolean couldRun(Asked asked) {
            return running.size() < limits.maxRunning() && underUserCap(asked) && fitsMemory(asked);
        }

        private boolean underUserCap(Asked asked) {
            return runningOf(asked.user) < limits.userMaxRunning();
        }

        private boolean fitsMemory(Asked asked) {
            return asked.bytes <= limits.budget() - reserved();
        }

        /** Whether nobody can have been overtaken so often that it may keep others waiting now. */
        private boolean nobodyHoldsTheHead() {
            return heads().noneMatch(asked ->
                    underUserCap(asked) && !fitsMemory(asked) && grants - asked.grantsBefore >= FairQueue.MAX_PASSES);
        }

        /** The first waiter of each user. */
        private Stream<Asked> heads() {
            Map<String, Asked> heads = new TreeMap<>();
            waiting.forEach(asked -> heads.putIfAbsent(asked.user, asked));
            return heads.values().stream();
        }

        private long runningOf(String user) {
            return running.stream().filter(asked -> asked.user.equals(user)).count();
        }

        private long waitingOf(String user) {
            return waiting.stream().filter(asked -> asked.user.equals(user)).count();
        }

        private long reserved() {
            return running.stream().mapToLong(Asked::bytes).sum();
        }

        private List<AdmissionSnapshot.User> modelUsers() {
            return Stream.concat(running.stream(), waiting.stream())
                    .map(Asked::user)
                    .distinct()
                    .sorted()
                    .map(user -> new AdmissionSnapshot.User(
                            user,
                            AdmissionLimits.DEFAULT_GROUP,
                            (int) runningOf(user),
                            0,
                            (int) waitingOf(user),
                            0,
                            running.stream()
                                    .filter(asked -> asked.user.equals(user))
                                    .mapToLong(Asked::bytes)
                                    .sum()))
                    .toList();
        }

        /** Lets everything end; then nothing may be left. */
        private void finish() {
            CompletableFuture<Void> drained = null;
            if (random.nextBoolean()) {
                drained = gate.controller.drain().toCompletableFuture();
            } else {
                gate.time.advance(Duration.ofDays(1));
            }
            deliver();
            assertThat(all).noneMatch(asked -> asked.query.isWaiting());
            all.stream().filter(asked -> asked.query.isRunning()).forEach(asked -> asked.query.finish());
            deliver();
            gate.assertIdle();
            assertThat(gate.time.scheduled()).isLessThanOrEqualTo(1);
            if (drained != null) {
                assertThat(drained).isCompleted();
            }
            assertThat(count("granted")).isEqualTo(count("released"));
            assertThat(count("granted") + count("rejected") + count("cancelled"))
                    .isEqualTo(all.size());
        }

        private long count(String kind) {
            return gate.events.stream().filter(event -> event.startsWith(kind)).count();
        }
    }
}
