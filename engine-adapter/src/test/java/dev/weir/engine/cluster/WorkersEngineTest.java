package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.FakeResult;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Where queries go, and what becomes of them when workers fail. */
class WorkersEngineTest extends WorkersTestBase {

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
}
