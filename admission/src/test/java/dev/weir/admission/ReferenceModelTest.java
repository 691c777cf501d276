package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random calls on the whole controller (groups, users, priorities, memory, lane, pauses, limits that change, cancels,
 * timeouts, holding, draining), held after each step against the {@link Reference}: all that can be seen must be equal,
 * and who was granted, refused, resumed or overran, in which order. A failure names its seed; {@code -Dweir.seed=N} runs
 * that one again. The full form tries {@code -Dweir.seeds} of them.
 *
 * <p>Left out of the generator rather than compared loosely: rates ({@code RateTest}), since the buckets are another
 * library's; positions and predictions, which are estimates ({@code WaitInfoTest}); the length of {@code short-query},
 * which stays the same; and a wait that ends at the very moment at which a query overruns, when the order of two alarms
 * decides: timeouts are odd nanoseconds, no two the same.
 */
class ReferenceModelTest {

    private static final int STEPS = 200;
    private static final long KIB = 1024;
    private static final String[] GROUPS = {"default", "etl", "bi"};

    @Test
    void theControllerDoesWhatItsRulesSay() {
        run(300);
    }

    @Test
    @Tag("full")
    void theControllerDoesWhatItsRulesSayForManySeeds() {
        run(Integer.getInteger("weir.seeds", 20_000));
    }

    private static void run(int seeds) {
        Long given = Long.getLong("weir.seed");
        long first = given != null ? given : new Random().nextLong();
        System.out.println("ReferenceModelTest: seeds from " + first);
        for (int i = 0; i < (given != null ? 1 : seeds); i++) {
            new Run(first + i).run();
        }
    }

    private static final class Run {

        private final long seed;
        private final Random random;
        private final Gate gate;
        private final Reference reference;
        private List<Both> live = new ArrayList<>();
        private final Map<String, CompletionStage<Void>> resumes = new HashMap<>();
        private int ids;

        /** The same query in the controller and in the reference. */
        private record Both(Gate.Query real, ReferenceQuery expected) {}

        Run(long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            AdmissionLimits limits = randomLimits();
            this.gate = new Gate(limits, Runnable::run);
            this.reference = new Reference(limits);
        }

        void run() {
            int step = 0;
            try {
                for (; step < STEPS; step++) {
                    step();
                    check();
                }
                finish();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
            }
        }

        private void step() {
            int dice = random.nextInt(100);
            if (dice < 35) {
                submit();
            } else if (dice < 40) {
                one(both -> both.real.isRunning(), this::giveBack);
            } else if (dice < 60) {
                one(both -> both.real.isRunning(), this::close);
            } else if (dice < 65) {
                one(both -> true, this::cancel);
            } else if (dice < 72) {
                one(both -> both.real.isRunning(), this::pause);
            } else if (dice < 80) {
                one(both -> both.real.isRunning(), this::resume);
            } else if (dice < 92) {
                advance();
            } else if (dice < 95) {
                update();
            } else if (dice < 96) {
                hold(random.nextInt(3) == 0);
            } else if (dice < 97) {
                learnMemory(random.nextInt(3) > 0);
            } else {
                // Must change nothing.
                gate.controller.explain(randomRequest());
            }
        }

        private void submit() {
            AdmissionRequest request = randomRequest();
            Explanation.Decision explained = gate.controller.explain(request).decision();
            Both both = new Both(gate.submit(request), reference.submit(request));
            live.add(both);
            checkExplained(explained, both.real);
        }

        /** What was said before must be what happened, but that a wait is not refused for its length. */
        private static void checkExplained(Explanation.Decision explained, Gate.Query real) {
            boolean inLane = real.permit != null && real.permit.inShortLane();
            boolean holds = switch (explained) {
                case RUN -> real.isRunning() && !inLane;
                case RUN_SHORT -> inLane;
                case WAIT -> !real.isRunning();
                case REFUSE -> real.rejection != null;
            };
            assertThat(holds).as("%s was to %s", real.id, explained).isTrue();
        }

        private AdmissionRequest randomRequest() {
            int id = ids++;
            int size = random.nextInt(8);
            return new AdmissionRequest(
                    "q" + id,
                    "user" + random.nextInt(6),
                    List.of(GROUPS[random.nextInt(GROUPS.length)]),
                    random.nextInt(12),
                    size > 2
                            ? OptionalLong.empty()
                            : OptionalLong.of(1 + KIB * random.nextInt(size == 0 ? 1_000 : 500_000)),
                    randomTimeout(id),
                    Priority.values()[random.nextInt(3)],
                    random.nextInt(4) == 0);
        }

        private Duration randomTimeout(int id) {
            return switch (random.nextInt(6)) {
                case 0 -> Duration.ofMillis(-random.nextInt(2));
                case 1, 2 -> Duration.ofMillis(random.nextInt(600)).plusNanos(2 * id + 1);
                default -> Duration.ofDays(1).plusNanos(2 * id + 1);
            };
        }

        private void one(Predicate<Both> which, Consumer<Both> change) {
            List<Both> found = live.stream().filter(which).toList();
            if (!found.isEmpty()) {
                change.accept(found.get(random.nextInt(found.size())));
            }
        }

        private void close(Both both) {
            RunPermit.Outcome outcome = RunPermit.Outcome.values()[random.nextInt(3)];
            long peak = KIB * (random.nextInt(60_000) - 10_000);
            both.real.permit.measuredPeak(peak);
            both.real.permit.close(outcome);
            reference.close(both.expected, outcome, peak);
        }

        private void giveBack(Both both) {
            if (both.real.permit.hasLearnedReservation() && random.nextBoolean()) {
                both.real.giveBackForDefault();
                reference.giveBackForDefault(both.expected);
                return;
            }
            Duration backoff = random.nextInt(5) == 0
                    ? Duration.ZERO
                    : Duration.ofMillis(random.nextInt(300)).plusNanos(1000L * ids++);
            both.real.giveBack(backoff);
            reference.giveBack(both.expected, backoff.toNanos());
        }

        private void learnMemory(boolean learn) {
            gate.controller.learnMemory(learn);
            reference.learnMemory(learn);
        }

        private void cancel(Both both) {
            assertThat(both.real.admission.cancel()).isEqualTo(reference.cancel(both.expected));
        }

        private void pause(Both both) {
            assertThat(both.real.permit.pause()).isEqualTo(reference.pause(both.expected));
        }

        private void resume(Both both) {
            resumes.put(both.real.id, both.real.permit.resume());
            reference.resume(both.expected);
        }

        private void advance() {
            gate.time.advance(Duration.ofMillis(random.nextInt(400)));
            reference.advanceTo(gate.time.elapsed().toNanos());
        }

        private void update() {
            AdmissionLimits limits = randomLimits();
            gate.controller.update(limits);
            reference.update(limits);
        }

        private void hold(boolean held) {
            gate.controller.hold(held ? WaitReason.HELD : null);
            reference.hold(held);
        }

        private AdmissionLimits randomLimits() {
            long budget = KIB * (400_000 + random.nextInt(600_000));
            Map<String, GroupLimits> groups = new HashMap<>();
            for (String group : GROUPS) {
                if (group.equals(AdmissionLimits.DEFAULT_GROUP) || random.nextInt(4) > 0) {
                    groups.put(group, randomGroup(budget));
                }
            }
            return new AdmissionLimits(
                    1 + random.nextInt(5),
                    2 + random.nextInt(14),
                    random.nextInt(6),
                    Tree.SHORT,
                    random.nextInt(4),
                    budget,
                    null,
                    groups);
        }

        private GroupLimits randomGroup(long budget) {
            long own = random.nextBoolean() ? budget : budget / 2 + KIB * random.nextInt(100_000);
            long most = random.nextBoolean() ? own : own / 2;
            return new GroupLimits(
                    1 + random.nextInt(5),
                    1 + random.nextInt(12),
                    1 + random.nextInt(3),
                    Duration.ofDays(2),
                    own,
                    1 + KIB * random.nextInt(100_000),
                    most,
                    null,
                    new UserLimits(1 + random.nextInt(3), random.nextInt(6), random.nextInt(3), null));
        }

        private void check() {
            assertThat(gate.controller.snapshot()).isEqualTo(reference.snapshot());
            for (String kind : List.of("granted ", "rejected ", "resumed ", "overran ", "returned ")) {
                assertThat(of(gate.events, kind)).isEqualTo(of(reference.events, kind));
            }
            gate.events.clear();
            reference.events.clear();
            live.forEach(this::check);
            live = new ArrayList<>(live.stream()
                    .filter(both -> !both.expected.is(ReferenceQuery.State.ENDED))
                    .toList());
        }

        private static List<String> of(List<String> events, String kind) {
            return events.stream().filter(event -> event.startsWith(kind)).toList();
        }

        private void check(Both both) {
            ReferenceQuery expected = both.expected;
            assertThat(both.real.isWaiting())
                    .as("%s waits", expected.id())
                    .isEqualTo(expected.is(ReferenceQuery.State.WAITS));
            assertThat(both.real.rejection == null ? null : describe(both.real.rejection))
                    .isEqualTo(expected.refused);
            RunPermit permit = both.real.permit;
            if (permit != null) {
                assertThat(permit.inShortLane()).isEqualTo(expected.is(ReferenceQuery.State.IN_LANE));
                assertThat(permit.reservedBytes()).isEqualTo(expected.bytes);
                assertThat(permit.hasLearnedReservation()).isEqualTo(expected.learned);
                assertThat(permit.group()).isEqualTo(expected.group);
                assertThat(permit.queryClass()).isEqualTo(expected.queryClass);
            }
            CompletionStage<Void> resume = resumes.get(both.real.id);
            if (resume != null) {
                assertThat(resume.toCompletableFuture().isDone())
                        .as("%s goes on", expected.id())
                        .isEqualTo(!expected.is(ReferenceQuery.State.RESUMING));
            }
        }

        private static String describe(Rejection rejection) {
            if (rejection instanceof Rejection.QueueFull full) {
                return "QueueFull " + full.scope();
            }
            if (rejection instanceof Rejection.QueueTimeout timeout) {
                return "QueueTimeout " + timeout.limit();
            }
            return rejection.getClass().getSimpleName();
        }

        /** Lets everything end, with or without a drain; then nothing may be left. */
        private void finish() {
            hold(false);
            CompletionStage<Void> drained = null;
            if (random.nextBoolean()) {
                drained = gate.controller.drain();
                reference.drain();
            }
            check();
            while (!live.isEmpty()) {
                if (live.stream().noneMatch(both -> both.real.isRunning())) {
                    // Longer than any backoff, and shorter than most waits.
                    gate.time.advance(Duration.ofSeconds(1));
                    reference.advanceTo(gate.time.elapsed().toNanos());
                    check();
                }
                Both next = live.stream()
                        .filter(both -> both.real.isRunning())
                        .findFirst()
                        .orElse(null);
                if (next == null) {
                    assertThat(live).as("wait, and nobody runs").isEmpty();
                    break;
                }
                close(next);
                check();
            }
            gate.assertIdle();
            assertThat(drained == null || drained.toCompletableFuture().isDone())
                    .isTrue();
        }
    }
}
