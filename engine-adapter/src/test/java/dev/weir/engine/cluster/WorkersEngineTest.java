package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.vector.IntVector;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkersEngineTest {

    private static final ClusterSettings.Health POLICY =
            new ClusterSettings.Health(Duration.ofSeconds(1), Duration.ofSeconds(3), 3, 2, Duration.ofSeconds(5));

    private final ManualTimers time = new ManualTimers();
    private final Map<String, FakeWorker> workers = new LinkedHashMap<>();
    private final List<String> retries = new ArrayList<>();
    private final List<EngineCapacity> capacities = new ArrayList<>();
    private InetAddress[] names = {};
    private boolean nameServerDown;
    private WorkersEngine engine;

    private WorkersEngine open(String... names) {
        return open(null, names);
    }

    private WorkersEngine open(ClusterSettings.Discovery discovery, String... names) {
        List<WorkerAddress> addresses = new ArrayList<>();
        for (String name : names) {
            FakeWorker worker = new FakeWorker(name);
            workers.put(name, worker);
            addresses.add(worker.address());
        }
        ClusterSettings settings = new ClusterSettings(
                addresses,
                discovery,
                new byte[16],
                new EngineInfo("duckdb", "unknown", false),
                POLICY,
                Duration.ofSeconds(3),
                Duration.ofSeconds(2),
                Duration.ofSeconds(3));
        Members members = new Members(
                address ->
                        workers.computeIfAbsent(address.name(), FakeWorker::new).link(),
                POLICY,
                time,
                time,
                new Random(7));
        engine = new WorkersEngine(
                settings, FakeWorker::scanOf, members, time, (worker, why) -> retries.add(worker + " " + why), host -> {
                    if (nameServerDown) {
                        throw new UnknownHostException(host);
                    }
                    return this.names;
                });
        engine.onCapacity(capacities::add);
        time.settle();
        return engine;
    }

    @AfterEach
    void everyByteIsGivenBack() {
        engine.close();
        for (FakeWorker worker : workers.values()) {
            worker.results.forEach(FakeResult::close);
            assertThat(worker.allocator.getAllocatedMemory()).as(worker.name).isZero();
            worker.allocator.close();
        }
    }

    private static EngineQuery query(String sql, long memory, Duration timeLeft) {
        return new EngineQuery(
                "q",
                sql,
                Access.WRITE,
                SessionSettings.NONE,
                List.of(),
                100,
                new QueryContext("ann", memory, false, timeLeft));
    }

    private EngineCall<ArrowResult> run() {
        return engine.execute(query("read", 10, Duration.ofMinutes(1)));
    }

    private static EngineFailure failureOf(CompletionStage<?> stage) {
        try {
            Rows.await(stage);
        } catch (EngineException e) {
            return e.failure();
        }
        throw new AssertionError("It did not fail");
    }

    private EngineNode node(String name) {
        return engine.nodes().stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private FakeWorker where(FakeResult result) {
        return workers.values().stream()
                .filter(worker -> worker.results.contains(result))
                .findFirst()
                .orElseThrow();
    }

    private List<FakeResult> results() {
        return workers.values().stream()
                .flatMap(worker -> worker.results.stream())
                .toList();
    }

    private FakeWorker other(FakeWorker worker) {
        return workers.values().stream()
                .filter(one -> one != worker)
                .findFirst()
                .orElseThrow();
    }

    private static int value(ArrowResult result) {
        return ((IntVector) result.root().getVector(0)).get(0);
    }

    private void nothingRuns() {
        assertThat(engine.nodes()).allSatisfy(node -> {
            assertThat(node.running()).isZero();
            assertThat(node.reservedBytes()).isZero();
        });
    }

    @Test
    void capacityIsTheSumOfTheWorkersAndALostWorkerTakesItsShareAlong() {
        open("a", "b");
        assertThat(engine.capacity()).isEqualTo(new EngineCapacity(8, 2_000));
        assertThat(capacities).last().isEqualTo(new EngineCapacity(8, 2_000));
        workers.get("a").reports = false;
        time.advance(Duration.ofSeconds(1));
        assertThat(node("a").state()).isEqualTo(EngineNode.State.SUSPECT);
        assertThat(engine.capacity().slots()).isEqualTo(8);
        time.advance(Duration.ofSeconds(1));
        assertThat(node("a").state()).isEqualTo(EngineNode.State.DOWN);
        assertThat(engine.capacity()).isEqualTo(new EngineCapacity(4, 1_000));
        assertThat(capacities).last().isEqualTo(new EngineCapacity(4, 1_000));
        workers.get("b").draining = true;
        time.advance(Duration.ofSeconds(1));
        assertThat(node("b").state()).isEqualTo(EngineNode.State.DRAINING);
        assertThat(capacities).last().isEqualTo(new EngineCapacity(0, 0));
    }

    @Test
    void aQueryCountsOnItsWorkerUntilItsEngineIsIdle() {
        open("a");
        ArrowResult result = Rows.await(run().result());
        assertThat(node("a").running()).isEqualTo(1);
        assertThat(node("a").reservedBytes()).isEqualTo(10);
        CompletionStage<Boolean> first = result.next();
        workers.get("a").results.get(0).give(5);
        assertThat(Rows.await(first)).isTrue();
        assertThat(value(result)).isEqualTo(5);
        assertThat(node("a").running()).isEqualTo(1);
        assertThat(result.stopped().toCompletableFuture()).isNotDone();
        CompletionStage<Boolean> last = result.next();
        workers.get("a").results.get(0).end();
        assertThat(Rows.await(last)).isFalse();
        assertThat(result.stopped().toCompletableFuture()).isDone();
        nothingRuns();
        result.close();
    }

    @Test
    void aReadThatAWorkerDoesNotTakeGoesToAnotherAtOnce() {
        for (EngineFailure failure : List.of(EngineFailure.UNAVAILABLE, EngineFailure.LOST, EngineFailure.BUSY)) {
            workers.clear();
            open("a", "b");
            workers.get("a").refuses = failure;
            for (int i = 0; i < 4; i++) {
                ArrowResult result = Rows.await(run().result());
                assertThat(workers.get("b").results).hasSize(i + 1);
                result.close();
            }
            assertThat(retries).contains("a " + failure);
            nothingRuns();
        }
    }

    @Test
    void aWorkerLostBeforeTheFirstBatchIsReplacedUnderTheResult() {
        open("a", "b");
        ArrowResult result = Rows.await(run().result());
        CompletionStage<Boolean> first = result.next();
        FakeResult lost = results().get(0);
        FakeWorker there = where(lost);
        lost.lose(EngineFailure.LOST);
        assertThat(lost.isClosed()).isTrue();
        assertThat(first.toCompletableFuture()).isNotDone();
        assertThat(result.stopped().toCompletableFuture())
                .as("the engine is not idle while the query runs elsewhere")
                .isNotDone();
        FakeResult second = other(there).results.get(0);
        assertThat(second.isPulled()).isTrue();
        assertThat(node(there.name).running()).isZero();
        assertThat(node(other(there).name).running()).isEqualTo(1);
        second.give(7);
        assertThat(Rows.await(first)).isTrue();
        assertThat(value(result)).isEqualTo(7);
        assertThat(retries).containsExactly(there.name + " LOST");
        result.close();
        assertThat(result.stopped().toCompletableFuture()).isDone();
        nothingRuns();
    }

    @Test
    void aWorkerLostBeforeAnythingWasPulledIsReplacedTooAndTheResultIsNotIdle() {
        open("a", "b");
        ArrowResult result = Rows.await(run().result());
        results().get(0).lose(EngineFailure.LOST);
        assertThat(result.stopped().toCompletableFuture()).isNotDone();
        CompletionStage<Boolean> first = result.next();
        results().stream()
                .filter(FakeResult::isPulled)
                .findFirst()
                .orElseThrow()
                .end();
        assertThat(Rows.await(first)).isFalse();
        assertThat(result.stopped().toCompletableFuture()).isDone();
        result.close();
    }

    @Test
    void aWorkerLostAfterTheFirstBatchFailsTheResult() {
        open("a", "b");
        ArrowResult result = Rows.await(run().result());
        CompletionStage<Boolean> first = result.next();
        FakeResult only = results().get(0);
        only.give(1);
        Rows.await(first);
        CompletionStage<Boolean> next = result.next();
        only.lose(EngineFailure.LOST);
        assertThat(failureOf(next)).isEqualTo(EngineFailure.LOST);
        assertThat(results()).hasSize(1);
        assertThat(result.stopped().toCompletableFuture()).isDone();
        result.close();
        nothingRuns();
    }

    @Test
    void anotherShapeElsewhereIsAFailureAndNoWrongResult() {
        open("a", "b");
        ArrowResult result = Rows.await(run().result());
        CompletionStage<Boolean> first = result.next();
        other(where(results().get(0))).schema = FakeResult.schema("m");
        results().get(0).lose(EngineFailure.LOST);
        assertThat(failureOf(first)).isEqualTo(EngineFailure.LOST);
        result.close();
        nothingRuns();
    }

    @Test
    void aWriteIsNeverRunAgain() {
        open("a", "b");
        workers.values().forEach(worker -> worker.readOnly = false);
        time.advance(Duration.ofSeconds(1));
        workers.values().forEach(worker -> worker.refuses = EngineFailure.LOST);
        EngineCall<ArrowResult> call = engine.execute(query("write", 10, null));
        assertThat(failureOf(call.result())).isEqualTo(EngineFailure.LOST);
        assertThat(workers.get("a").asked.size() + workers.get("b").asked.size())
                .isEqualTo(1);
        nothingRuns();
    }

    @Test
    void aWriteGoesToAWorkerThatCanWriteAndIsForbiddenWhereNoneCan() {
        open("a", "b");
        assertThat(engine.info().readOnly()).isTrue();
        assertThat(failureOf(engine.execute(query("write", 0, null)).result())).isEqualTo(EngineFailure.FORBIDDEN);
        workers.get("b").readOnly = false;
        time.advance(Duration.ofSeconds(1));
        for (int i = 0; i < 4; i++) {
            Rows.await(engine.execute(query("write", 0, null)).result()).close();
        }
        assertThat(workers.get("b").asked).hasSize(4);
        assertThat(engine.info().readOnly()).isTrue();
    }

    @Test
    void whenEveryWorkerIsFullTheQueryIsToldBusyAndNoneIsAskedTwice() {
        open("a", "b", "c");
        workers.values().forEach(worker -> worker.refuses = EngineFailure.BUSY);
        assertThat(failureOf(run().result())).isEqualTo(EngineFailure.BUSY);
        workers.values().forEach(worker -> assertThat(worker.asked).hasSize(1));
        assertThat(failureOf(run().result())).as("they said so a moment ago").isEqualTo(EngineFailure.BUSY);
        workers.values().forEach(worker -> assertThat(worker.asked).hasSize(1));
        assertThat(engine.nodes()).allMatch(node -> node.state() == EngineNode.State.HEALTHY);
        workers.values().forEach(worker -> worker.refuses = null);
        time.advance(Members.BUSY_PAUSE);
        Rows.await(run().result()).close();
        nothingRuns();
    }

    @Test
    void noWorkerGetsMoreThanItsSlotsByOurOwnCount() {
        open("a", "b");
        List<ArrowResult> open = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            open.add(Rows.await(run().result()));
        }
        assertThat(workers.get("a").asked).hasSize(4);
        assertThat(failureOf(run().result())).isEqualTo(EngineFailure.BUSY);
        assertThat(workers.get("a").asked).hasSize(4);
        open.forEach(ArrowResult::close);
        nothingRuns();
    }

    @Test
    void aQueryThatLosesWorkersIsNotGivenToAllOfThem() {
        open("a", "b", "c", "d");
        workers.values().forEach(worker -> worker.refuses = EngineFailure.LOST);
        assertThat(failureOf(run().result())).isEqualTo(EngineFailure.LOST);
        assertThat(workers.values().stream()
                        .mapToInt(worker -> worker.asked.size())
                        .sum())
                .isEqualTo(2);
    }

    @Test
    void faultsOfTheStatementGoNowhereElseAndDoNotHarmTheWorker() {
        open("a", "b");
        workers.values().forEach(worker -> worker.refuses = EngineFailure.MEMORY);
        for (int i = 0; i < 5; i++) {
            assertThat(failureOf(run().result())).isEqualTo(EngineFailure.MEMORY);
        }
        assertThat(retries).isEmpty();
        assertThat(engine.nodes()).allMatch(node -> node.state() == EngineNode.State.HEALTHY);
    }

    @Test
    void aRetryHasTheTimeThatIsLeftAndNoneWhenItIsOver() {
        open("a", "b");
        workers.values().forEach(worker -> worker.holds = true);
        EngineCall<ArrowResult> call = engine.execute(query("read", 10, Duration.ofMillis(900)));
        FakeWorker first = workers.values().stream()
                .filter(worker -> !worker.held.isEmpty())
                .findFirst()
                .orElseThrow();
        time.advance(Duration.ofMillis(400));
        first.held.get(0).fail(EngineFailure.UNAVAILABLE);
        EngineQuery again = other(first).asked.get(0);
        assertThat(again.context()).isEqualTo(new QueryContext("ann", 10, false, Duration.ofMillis(500)));
        time.advance(Duration.ofMillis(500));
        other(first).held.get(0).fail(EngineFailure.UNAVAILABLE);
        assertThat(failureOf(call.result())).isEqualTo(EngineFailure.TIMED_OUT);
        nothingRuns();
    }

    @Test
    void aCancelStopsTheTryUnderWayAndNoOtherFollows() {
        open("a", "b");
        workers.values().forEach(worker -> worker.holds = true);
        EngineCall<ArrowResult> call = run();
        call.cancel();
        assertThat(failureOf(call.result())).isEqualTo(EngineFailure.CANCELLED);
        assertThat(workers.get("a").asked.size() + workers.get("b").asked.size())
                .isEqualTo(1);
        assertThat(call.stopped().toCompletableFuture()).isDone();
        nothingRuns();
    }

    @Test
    void aCancelWhileTheQueryMovesEndsItThere() {
        open("a", "b");
        ArrowResult result = Rows.await(run().result());
        CompletionStage<Boolean> first = result.next();
        FakeWorker second = other(where(results().get(0)));
        second.holds = true;
        results().get(0).lose(EngineFailure.LOST);
        assertThat(second.held).hasSize(1);
        result.cancel();
        assertThat(second.held.get(0).cancelled).isTrue();
        assertThat(failureOf(first)).isEqualTo(EngineFailure.CANCELLED);
        assertThat(result.stopped().toCompletableFuture()).isDone();
        result.close();
        nothingRuns();
    }

    @Test
    void aResultThatComesAfterTheCancelIsClosed() {
        open("a");
        FakeWorker worker = workers.get("a");
        worker.holds = true;
        EngineCall<ArrowResult> call = run();
        FakeResult late = new FakeResult(FakeResult.SCHEMA, worker.allocator);
        worker.results.add(late);
        worker.held.get(0).result.complete(late);
        Rows.await(call.result());
        call.cancel();
        Rows.await(call.result()).close();
        assertThat(late.isClosed()).isTrue();
        nothingRuns();
    }

    @Test
    void describingAndCatalogQuestionsGoToAnyWorkerThatAnswers() {
        open("a", "b");
        workers.get("a").refuses = EngineFailure.UNAVAILABLE;
        for (int i = 0; i < 4; i++) {
            Rows.await(engine.describe(query("read", 0, null)).result());
            Rows.await(engine.check().result());
        }
        workers.get("b").refuses = EngineFailure.UNAVAILABLE;
        assertThat(failureOf(engine.check().result())).isEqualTo(EngineFailure.UNAVAILABLE);
    }

    @Test
    void failedQueriesTakeAWorkerDownBeforeItsNextCheck() {
        open("a", "b");
        workers.get("a").refuses = EngineFailure.UNAVAILABLE;
        for (int i = 0; i < 40 && node("a").state() != EngineNode.State.DOWN; i++) {
            Rows.await(run().result()).close();
            time.settle();
            if (node("a").state() == EngineNode.State.SUSPECT) {
                int asked = workers.get("a").asked.size();
                Rows.await(run().result()).close();
                assertThat(workers.get("a").asked)
                        .as("a suspect is the last choice")
                        .hasSize(asked);
                workers.get("b").refuses = EngineFailure.BUSY;
                failureOf(run().result());
                failureOf(run().result());
                workers.get("b").refuses = null;
                time.settle();
            }
        }
        assertThat(node("a").state()).isEqualTo(EngineNode.State.DOWN);
        assertThat(engine.capacity().slots()).isEqualTo(4);
    }

    @Test
    void withoutWorkersEverythingIsUnavailable() {
        open("a");
        workers.get("a").reports = false;
        time.advance(Duration.ofSeconds(5));
        assertThat(failureOf(run().result())).isEqualTo(EngineFailure.UNAVAILABLE);
        assertThat(failureOf(engine.check().result())).isEqualTo(EngineFailure.UNAVAILABLE);
        engine.close();
        assertThat(workers.get("a").closed).isTrue();
        assertThat(failureOf(run().result())).isEqualTo(EngineFailure.UNAVAILABLE);
    }

    @Test
    void aWorkerThatLeavesTheNameKeepsItsQueriesAndGetsNoNewOnes() throws Exception {
        names = new InetAddress[] {InetAddress.getByName("10.0.0.1"), InetAddress.getByName("10.0.0.2")};
        open(new ClusterSettings.Discovery(
                "workers.test", new WorkerAddress("", "", 31338, null, null, 0, 0), Duration.ofSeconds(10)));
        awaitNodes(2);
        List<ArrowResult> open = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            open.add(Rows.await(run().result()));
        }
        names = new InetAddress[] {InetAddress.getByName("10.0.0.2")};
        Awaitility.await().untilAsserted(() -> {
            time.advance(Duration.ofSeconds(10));
            assertThat(node("10.0.0.1:31338").state()).isEqualTo(EngineNode.State.DRAINING);
        });
        assertThat(engine.capacity().slots()).isEqualTo(4);
        assertThat(workers.get("10.0.0.1:31338").closed).isFalse();
        open.forEach(ArrowResult::close);
        assertThat(engine.nodes()).hasSize(1);
        Awaitility.await().until(() -> workers.get("10.0.0.1:31338").closed);
        nameServerDown = true;
        time.advance(Duration.ofMinutes(1));
        assertThat(engine.nodes())
                .as("a name server that fails takes no worker away")
                .hasSize(1);
    }

    private void awaitNodes(int count) {
        Awaitility.await().untilAsserted(() -> {
            time.settle();
            assertThat(engine.nodes()).hasSize(count).allMatch(node -> node.state() == EngineNode.State.HEALTHY);
        });
    }

    @Test
    void aCheckThatHangsCountsAsAFailure() {
        open("a");
        workers.get("a").hangs = true;
        time.advance(Duration.ofSeconds(4));
        assertThat(node("a").state()).isEqualTo(EngineNode.State.SUSPECT);
        assertThat(node("a").reason()).isEqualTo("no answer within 3000 ms");
        time.advance(Duration.ofSeconds(10));
        assertThat(node("a").state()).isEqualTo(EngineNode.State.DOWN);
        workers.get("a").hangs = false;
        time.advance(Duration.ofSeconds(20));
        assertThat(node("a").state()).isEqualTo(EngineNode.State.HEALTHY);
    }
}
