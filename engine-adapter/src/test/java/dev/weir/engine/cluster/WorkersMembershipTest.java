package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import dev.weir.engine.Rows;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Who belongs to the workers, what they can carry, and how it is seen. */
class WorkersMembershipTest extends WorkersTestBase {

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
