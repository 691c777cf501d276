package dev.weir.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls with groups, lane, pauses, priorities and limits that change, held against what must be true after each;
 * {@code -Dweir.seed=N} repeats one.
 */
class TreeModelTest {

    private static final int CALLS = 4_000;
    private static final String[] GROUPS = {"default", "etl", "bi"};

    private final List<Gate.Query> queries = new ArrayList<>();
    private final List<CompletionStage<Void>> resumes = new ArrayList<>();
    private Random random = new Random();
    private Tree tree = tree(3, 2);
    private Gate gate = new Gate(tree);
    private AdmissionLimits limits = tree.build();

    /** Running queries may stay above limits that were lowered while they ran. */
    private int allowedRunning;

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    @DisplayName("whatever is called, the limits hold and the counters add up")
    void limitsHoldAndCountersAddUp(long given) {
        long seed = Long.getLong("weir.seed", given);
        System.out.println("TreeModelTest: seed " + seed);
        random = new Random(seed);
        allowedRunning = most(limits);
        for (int i = 0; i < CALLS; i++) {
            call();
            check();
        }
        gate.controller.hold(null);
        for (int round = 0; round < 10_000 && queries.stream().anyMatch(this::isLive); round++) {
            for (Gate.Query query : List.copyOf(queries)) {
                if (query.permit != null) {
                    query.permit.close(RunPermit.Outcome.FINISHED);
                    queries.remove(query);
                } else if (!query.isWaiting()) {
                    queries.remove(query);
                }
            }
        }
        gate.assertIdle();
        assertThat(resumes)
                .allSatisfy(stage -> assertThat(stage.toCompletableFuture()).isDone());
    }

    private boolean isLive(Gate.Query query) {
        return query.permit != null || query.isWaiting();
    }

    private void call() {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> submit();
            case 4, 5 ->
                one(Gate.Query::isRunning, query -> {
                    query.permit.close(RunPermit.Outcome.values()[random.nextInt(3)]);
                    queries.remove(query);
                });
            case 6 ->
                one(Gate.Query::isWaiting, query -> {
                    query.admission.cancel();
                    queries.remove(query);
                });
            case 7 -> one(Gate.Query::isRunning, query -> query.permit.pause());
            case 8 -> one(Gate.Query::isRunning, query -> resumes.add(query.permit.resume()));
            case 9 -> gate.time.advance(Duration.ofMillis(random.nextInt(400)));
            case 10 -> {
                if (random.nextInt(10) == 0) {
                    update();
                }
            }
            default -> {
                if (random.nextInt(10) == 0) {
                    gate.controller.hold(random.nextBoolean() ? WaitReason.HELD : null);
                }
            }
        }
        queries.removeIf(query -> !isLive(query));
    }

    private void submit() {
        String user = "user" + random.nextInt(6);
        boolean ownSize = random.nextInt(4) == 0;
        queries.add(gate.submit(new AdmissionRequest(
                "q" + random.nextLong(),
                user,
                List.of(GROUPS[random.nextInt(GROUPS.length)]),
                random.nextInt(20),
                ownSize ? OptionalLong.of(1 + random.nextInt(400_000)) : OptionalLong.empty(),
                random.nextInt(3) == 0 ? Duration.ofMillis(random.nextInt(500)) : Duration.ofDays(1),
                Priority.values()[random.nextInt(3)],
                random.nextInt(5) == 0)));
    }

    private void one(java.util.function.Predicate<Gate.Query> which, java.util.function.Consumer<Gate.Query> change) {
        List<Gate.Query> found = queries.stream().filter(which).toList();
        if (!found.isEmpty()) {
            change.accept(found.get(random.nextInt(found.size())));
        }
    }

    private void update() {
        tree = tree(1 + random.nextInt(6), random.nextInt(4));
        limits = tree.build();
        allowedRunning = Math.max(most(limits), gate.controller.snapshot().running());
        gate.controller.update(limits);
    }

    private static int most(AdmissionLimits limits) {
        return limits.maxRunning() + 2 * limits.shortLane();
    }

    private static Tree tree(int running, int lane) {
        return Tree.running(running)
                .lane(lane)
                .paused(4)
                .group("etl", Tree.caps(2, 20, 2))
                .group("bi", Tree.memory(600_000, 100_000));
    }

    private void check() {
        AdmissionSnapshot now = gate.controller.snapshot();
        allowedRunning = Math.min(allowedRunning, Math.max(most(limits), now.running()));
        assertThat(now.running()).isLessThanOrEqualTo(allowedRunning);
        assertThat(now.reservedBytes()).isBetween(0L, limits.memoryBudgetBytes());
        assertThat(now.paused()).isLessThanOrEqualTo(4);
        assertThat(now.groups().stream()
                        .mapToInt(AdmissionSnapshot.Group::running)
                        .sum())
                .isEqualTo(now.running());
        assertThat(now.users().stream()
                        .mapToInt(AdmissionSnapshot.User::running)
                        .sum())
                .isEqualTo(now.running());
        assertThat(now.users().stream()
                        .mapToInt(AdmissionSnapshot.User::shortRunning)
                        .sum())
                .isEqualTo(now.shortRunning());
        assertThat(now.users().stream().mapToInt(AdmissionSnapshot.User::paused).sum())
                .isEqualTo(now.paused());
        assertThat(now.users().stream().mapToInt(AdmissionSnapshot.User::queued).sum())
                .isEqualTo(now.queued());
        assertThat(now.users().stream()
                        .mapToLong(AdmissionSnapshot.User::reservedBytes)
                        .sum())
                .isEqualTo(now.reservedBytes());
        assertThat(now.reasons().values().stream().mapToInt(Integer::intValue).sum())
                .isEqualTo(now.queued());
        assertThat(queries.stream().filter(Gate.Query::isWaiting).count()).isEqualTo(now.queued());
        assertThat(queries.stream().filter(Gate.Query::isRunning).count()).isEqualTo(now.running() + now.paused());
        if (!now.held() && now.queued() > 0) {
            assertThat(now.reasons())
                    .as("nobody waits for a turn while nobody is ahead: %s", now)
                    .satisfies(reasons -> assertThat(reasons.size() == 1 && reasons.containsKey(WaitReason.TURN))
                            .isFalse());
        }
    }
}
