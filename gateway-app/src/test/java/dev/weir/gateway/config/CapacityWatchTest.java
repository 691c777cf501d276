package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.WaitReason;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.StatementDescription;
import dev.weir.engine.StatementScan;
import dev.weir.gateway.query.Timers;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.mock.env.MockEnvironment;

/** What happens to queries while the engine can carry more, less, or nothing. */
class CapacityWatchTest {

    @TempDir
    Path directory;

    private final List<@Nullable WaitReason> held = new ArrayList<>();
    private final List<Boolean> learns = new ArrayList<>();
    private final ManualTimer timers = new ManualTimer();
    private final Workers engine = new Workers();

    private RuntimeLimits watch() {
        RuntimeLimits limits = new RuntimeLimits(
                new MockEnvironment(), new LimitsFile(directory.resolve("limits.yaml")), 2, 1L << 30, true);
        new CapacityWatch(engine, limits, new StartHolds(held::add), timers, Duration.ofSeconds(10), learns::add)
                .start();
        return limits;
    }

    @Test
    void theLimitsFollowAndAQueryIsBoundedByTheLargestWorkerThatAnswers() {
        engine.capacity = new EngineCapacity(16, 3_000);
        engine.nodes = List.of(
                node(EngineNode.State.HEALTHY, 1_000),
                node(EngineNode.State.SUSPECT, 2_000),
                node(EngineNode.State.DOWN, 9_000));
        RuntimeLimits limits = watch();
        assertThat(limits.admission().maxRunning()).isEqualTo(4);
        assertThat(limits.admission().group("default").memoryMaxPerQueryBytes()).isEqualTo(2_000);
        engine.tell(new EngineCapacity(4, 3_000));
        assertThat(limits.admission().maxRunning()).isLessThanOrEqualTo(2);
        assertThat(held).isEmpty();
    }

    @Test
    void memoryIsLearnedWhereEveryQueryIsHeldToIts() {
        engine.capacity = new EngineCapacity(16, 3_000);
        engine.nodes = List.of(fenced("cgroup"), fenced("address-space"));
        watch();
        engine.nodes = List.of(fenced("cgroup"), fenced("engine"));
        engine.tell(engine.capacity);
        assertThat(learns).containsExactly(true, false);
    }

    private static EngineNode fenced(String limit) {
        return new EngineNode(limit, "host", EngineNode.State.HEALTHY, Instant.EPOCH, 8, 0, 1_000, 0, limit, null);
    }

    @Test
    void withoutAnyWorkerQueriesAreHeldForAWhileAndThenRefusedByTheEngine() {
        engine.capacity = new EngineCapacity(0, 0);
        RuntimeLimits limits = watch();
        assertThat(held).containsExactly(WaitReason.WORKERS);
        engine.tell(new EngineCapacity(0, 0));
        assertThat(timers.due).hasSize(1);
        assertThat(timers.due.get(0).delay).isEqualTo(Duration.ofSeconds(10));
        timers.due.get(0).task.run();
        assertThat(held).as("let go, to be refused").containsExactly(WaitReason.WORKERS, null);
        engine.tell(new EngineCapacity(16, 1_000));
        assertThat(limits.admission().maxRunning()).isEqualTo(4);
        assertThat(held).containsExactly(WaitReason.WORKERS, null);
    }

    @Test
    void aWorkerThatComesBackInTimeIsAllThatTheQueriesNotice() {
        engine.capacity = new EngineCapacity(16, 1_000);
        watch();
        engine.tell(new EngineCapacity(0, 0));
        engine.tell(new EngineCapacity(1, 1_000));
        assertThat(held).containsExactly(WaitReason.WORKERS, null);
        assertThat(timers.due.get(0).cancelled).isTrue();
        timers.due.get(0).task.run();
        assertThat(held).containsExactly(WaitReason.WORKERS, null);
    }

    private static EngineNode node(EngineNode.State state, long memory) {
        return new EngineNode("n" + memory, "a:1", state, Instant.EPOCH, 8, 0, memory, 0, "engine", null);
    }

    /** Timers that a test fires. */
    private static final class ManualTimer implements Timers {

        final List<Due> due = new ArrayList<>();

        private static final class Due {
            final Duration delay;
            final Runnable task;
            boolean cancelled;

            Due(Duration delay, Runnable task) {
                this.delay = delay;
                this.task = task;
            }
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        public Timer schedule(Duration delay, Runnable task) {
            Due next = new Due(delay, task);
            due.add(next);
            return () -> next.cancelled = true;
        }
    }

    /** An engine of which only the capacity is looked at. */
    private static final class Workers implements QueryEngine {

        EngineCapacity capacity;
        List<EngineNode> nodes = List.of();
        private Consumer<EngineCapacity> listener;

        void tell(EngineCapacity next) {
            capacity = next;
            listener.accept(next);
        }

        @Override
        public EngineCapacity capacity() {
            return capacity;
        }

        @Override
        public void onCapacity(Consumer<EngineCapacity> told) {
            listener = told;
        }

        @Override
        public List<EngineNode> nodes() {
            return nodes;
        }

        @Override
        public EngineInfo info() {
            throw new UnsupportedOperationException();
        }

        @Override
        public StatementScan scan(String sql) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EngineCall<StatementDescription> describe(EngineQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EngineCall<ArrowResult> execute(EngineQuery query) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EngineCall<ArrowResult> metadata(MetadataRequest request) {
            throw new UnsupportedOperationException();
        }

        @Override
        public EngineCall<Void> check() {
            throw new UnsupportedOperationException();
        }

        @Override
        public EngineStats stats() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }
}
