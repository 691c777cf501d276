package dev.weir.gateway.query;

import static dev.weir.gateway.query.QueryHarness.ANN;
import static dev.weir.gateway.query.QueryHarness.EVE;
import static dev.weir.gateway.query.QueryHarness.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.UserLimits;
import dev.weir.auth.Identity;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineFailure;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;

/**
 * Random calls on a query service with a real admission controller, between an engine and readers that do anything: after
 * each step the list of queries and admission's counters tell the same. A failure names its seed; {@code -Dweir.seed=N}
 * runs that one again.
 */
class CountersModelTest {

    private static final int STEPS = 2_000;
    private static final int RESERVED = 4;
    private static final List<Identity> USERS = List.of(ANN, EVE, ROOT);

    @RepeatedTest(10)
    void theListOfQueriesAgreesWithAdmissionAtEveryStep() {
        long seed = Long.getLong("weir.seed", new Random().nextLong());
        Run run = new Run(seed);
        int step = 0;
        try {
            run.check();
            for (; step < STEPS; step++) {
                run.step();
                run.check();
            }
            run.finish();
        } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError("seed " + seed + ", step " + step + ": " + failure.getMessage(), failure);
        }
    }

    private static final class Run {

        private final Random random;
        private final FakeEngine engine = new FakeEngine();
        private final FakeTimers timers = new FakeTimers();
        private final AdmissionRelay relay = new AdmissionRelay();
        private final AdmissionController admission = AdmissionControllers.create(
                limits(),
                timers::nanoTime,
                (task, delay) -> timers.schedule(Duration.ofNanos(delay), task)::cancel,
                Runnable::run,
                relay);
        private final FakeAdmission lane = new FakeAdmission();
        private final DefaultQueryService service = new DefaultQueryService(
                engine,
                new DefaultQueryService.Controllers(admission, relay, lane, lane),
                new FakeLimits(new QueryLimits(
                        Duration.ofSeconds(60), Duration.ofSeconds(25), Duration.ofSeconds(8), Duration.ofSeconds(30))),
                timers,
                Clock.systemUTC(),
                new QueryListener() {});
        private final List<FakeEngine.Result> results = new ArrayList<>();
        private final List<Reader> readers = new ArrayList<>();
        private FakeEngine.@Nullable Result opening;

        Run(long seed) {
            random = new Random(seed);
        }

        private static AdmissionLimits limits() {
            GroupLimits group = new GroupLimits(
                    3, 8, 1, Duration.ofSeconds(20), 1_000, RESERVED, 1_000, null, new UserLimits(2, 5, 2, null));
            return new AdmissionLimits(
                    3, 8, 0, Duration.ofMillis(250), 3, 1_000, null, Map.of(AdmissionLimits.DEFAULT_GROUP, group));
        }

        void step() {
            int dice = random.nextInt(100);
            if (dice < 25) {
                submit();
            } else if (dice < 40) {
                one(engine.calls, call -> !call.result.isDone()).ifPresent(this::answer);
            } else if (dice < 75) {
                one(readers, reader -> !reader.left).ifPresent(reader -> reader.step(random.nextInt(10)));
            } else if (dice < 83) {
                one(results, result -> result.closes > 0 && !result.stopped.isDone())
                        .ifPresent(FakeEngine.Result::idle);
            } else if (dice < 88) {
                one(service.liveQueries(), query -> true).ifPresent(query -> service.cancel(ROOT, query.id()));
            } else {
                timers.advance(Duration.ofMillis(random.nextInt(dice < 98 ? 1_500 : 12_000)));
            }
        }

        private <T> Optional<T> one(List<T> all, Predicate<T> fit) {
            List<T> fitting = all.stream().filter(fit).toList();
            return fitting.isEmpty() ? Optional.empty() : Optional.of(fitting.get(random.nextInt(fitting.size())));
        }

        private void submit() {
            QueryExecution query =
                    service.submit(USERS.get(random.nextInt(USERS.size())), QueryRequest.of(Front.HTTP, "select 1"));
            query.stream().whenComplete((stream, failure) -> {
                if (stream != null && opening != null) {
                    readers.add(new Reader(stream, opening));
                }
            });
        }

        /** The engine opens the result, fails, or stops since it was told to. */
        private void answer(FakeEngine.Call<ArrowResult> call) {
            if (call.cancelled && random.nextBoolean()) {
                call.stop();
            } else if (random.nextInt(5) == 0) {
                call.fail(EngineFailure.EXECUTION, "x");
            } else {
                FakeEngine.Result result = engine.newResult();
                results.add(result);
                opening = result;
                call.open(result);
                opening = null;
            }
        }

        void check() {
            List<QuerySnapshot> listed = service.liveQueries();
            AdmissionSnapshot now = admission.snapshot();
            long permits = listed.stream().filter(Run::holdsPermit).count();
            assertThat(now.queued()).as("queued").isEqualTo((int) count(listed, QueryState.QUEUED));
            assertThat(now.running() + now.paused()).as("permits").isEqualTo((int) permits);
            assertThat(now.running()).isLessThanOrEqualTo(3);
            assertThat((long) now.paused()).as("paused").isGreaterThanOrEqualTo(count(listed, QueryState.PAUSED));
            assertThat(now.reservedBytes()).isEqualTo(permits * RESERVED);
            for (AdmissionSnapshot.User user : now.users()) {
                List<QuerySnapshot> own = listed.stream()
                        .filter(query -> query.user().equals(user.name()))
                        .toList();
                assertThat(user.queued()).isEqualTo((int) count(own, QueryState.QUEUED));
                assertThat(user.running() + user.paused())
                        .isEqualTo((int) own.stream().filter(Run::holdsPermit).count());
            }
        }

        private static long count(List<QuerySnapshot> queries, QueryState state) {
            return queries.stream().filter(query -> query.state() == state).count();
        }

        /** An engine that does not stop keeps the permit for a while only. */
        private static boolean holdsPermit(QuerySnapshot query) {
            return switch (query.state()) {
                case RUNNING, STREAMING, PAUSED -> true;
                case CANCELLING ->
                    query.cancelling() != null && query.cancelling().compareTo(RunPlace.PERMIT_GRACE) < 0;
                default -> false;
            };
        }

        /** Everything ends; then nothing may be counted. */
        void finish() {
            service.liveQueries().forEach(query -> service.cancel(ROOT, query.id()));
            engine.calls.stream().filter(call -> !call.result.isDone()).forEach(FakeEngine.Call::stop);
            readers.forEach(Reader::leave);
            results.stream().filter(result -> !result.stopped.isDone()).forEach(FakeEngine.Result::idle);
            assertThat(service.liveQueries()).isEmpty();
            assertThat(service.list(ROOT)).allMatch(query -> query.state().isDone());
            check();
            engine.close();
        }
    }

    /** A client that pulls, and an engine that answers, in any order. */
    private static final class Reader {

        private final ResultStream stream;
        private final FakeEngine.Result result;
        private @Nullable CompletionStage<Boolean> next;
        private boolean left;

        Reader(ResultStream stream, FakeEngine.Result result) {
            this.stream = stream;
            this.result = result;
        }

        void step(int dice) {
            boolean pulling = next != null && !next.toCompletableFuture().isDone();
            boolean asked = result.pull != null && !result.pull.isDone() && !result.stopped.isDone();
            if (asked && dice < 6) {
                result.give(1);
            } else if (asked && dice < 8) {
                result.end();
            } else if (!pulling && dice < 9) {
                pull();
            } else if (dice == 9) {
                leave();
            }
        }

        private void pull() {
            if (next != null && (next.toCompletableFuture().isCompletedExceptionally() || !now(next))) {
                leave();
                return;
            }
            next = stream.next();
        }

        private static boolean now(CompletionStage<Boolean> pulled) {
            return pulled.toCompletableFuture().join();
        }

        /** A result that was read to its end leaves the engine idle at once. */
        void leave() {
            if (left) {
                return;
            }
            left = true;
            CompletionStage<Boolean> last = next;
            boolean whole = last != null
                    && last.toCompletableFuture().isDone()
                    && !last.toCompletableFuture().isCompletedExceptionally()
                    && !now(last);
            stream.close();
            if (whole && !result.stopped.isDone()) {
                result.idle();
            }
        }
    }
}
