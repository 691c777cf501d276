package dev.weir.engine.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.remote.WorkerReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Where queries go, over many of them. */
class BalanceTest {

    private static final int SLOTS = 16;
    private static final long MEMORY = 1_600;

    private final long seed = Long.getLong("weir.seed", 20_260_711L);
    private final Random random = new Random(seed);

    /** One gateway's view of workers that several gateways use. */
    private final class Gateway {
        final ManualTimers time = new ManualTimers();
        final Members members = new Members(
                address -> new FakeWorker(address.name()).link(),
                ClusterSettings.Health.DEFAULT,
                time,
                time,
                new Random(random.nextLong()));
        final List<Member> all;

        Gateway(int workers) {
            List<WorkerAddress> addresses = new ArrayList<>();
            for (int i = 0; i < workers; i++) {
                addresses.add(new FakeWorker("w" + i).address());
            }
            all = members.update(addresses);
            hear(Map.of());
        }

        /** Reports of all workers. */
        void hear(Map<String, Integer> running) {
            for (Member member : all) {
                String name = member.address.name();
                members.answered(
                        member,
                        new WorkerReport(
                                name,
                                new EngineInfo("fake", "1", true),
                                "1",
                                SLOTS,
                                running.getOrDefault(name, 0),
                                MEMORY,
                                0,
                                "engine",
                                false));
            }
        }
    }

    private record Ends(long at, Lease lease) {}

    /** A figure over the whole time of a play. */
    private record Figure(double worst, double mean) {}

    /** Plays arrivals against workers and measures what runs. */
    private Figure play(int gateways, int workers, ToDoubleFunction<Map<String, Integer>> measure) {
        List<Gateway> all = new ArrayList<>();
        for (int i = 0; i < gateways; i++) {
            all.add(new Gateway(workers));
        }
        Map<String, Integer> running = new TreeMap<>();
        PriorityQueue<Ends> ends = new PriorityQueue<>((a, b) -> Long.compare(a.at(), b.at()));
        double worst = 0;
        double sum = 0;
        for (long now = 0; now < 60_000; now++) {
            while (!ends.isEmpty() && ends.peek().at() <= now) {
                Lease lease = ends.poll().lease();
                lease.release();
                running.merge(lease.member().address.name(), -1, Integer::sum);
            }
            if (now % 1_000 == 0) {
                all.forEach(gateway -> gateway.hear(running));
            }
            // About half of the slots are in use.
            if (random.nextInt(1_000) < 25 * workers) {
                Gateway gateway = all.get(random.nextInt(all.size()));
                Lease lease;
                try {
                    lease = gateway.members.take(0, false, Set.of());
                } catch (EngineException busy) {
                    continue;
                }
                running.merge(lease.member().address.name(), 1, Integer::sum);
                ends.add(new Ends(now + 1 + random.nextInt(640), lease));
            }
            if (now > 2_000) {
                worst = Math.max(worst, measure.applyAsDouble(running));
                sum += measure.applyAsDouble(running);
            }
        }
        return new Figure(worst, sum / 58_000);
    }

    private static double spread(Map<String, Integer> running) {
        int most = running.values().stream().mapToInt(n -> n).max().orElse(0);
        int least = running.values().stream().mapToInt(n -> n).min().orElse(0);
        return most - least;
    }

    @Test
    void oneGatewayKeepsItsWorkersEvenlyLoaded() {
        // Chance alone spreads them by 3.2 and 7.2 on average.
        assertThat(play(1, 2, BalanceTest::spread).mean()).as("seed %d", seed).isLessThan(2.5);
        assertThat(play(1, 6, BalanceTest::spread).mean()).as("seed %d", seed).isLessThan(5);
    }

    @Test
    void severalGatewaysWithReportsOfTheSameAgeDoNotAllTakeTheSameWorker() {
        double most = play(
                        4,
                        6,
                        running ->
                                running.values().stream().mapToInt(n -> n).max().orElse(0))
                .worst();
        assertThat(most)
                .as("seed %d: the share of each is 8, and chance alone makes it 16", seed)
                .isLessThanOrEqualTo(19);
    }

    @Test
    void aBurstSpreadsOverAllWorkersAlthoughNoReportTellsOfIt() {
        Gateway gateway = new Gateway(4);
        Map<String, Integer> taken = new TreeMap<>();
        for (int i = 0; i < 4 * SLOTS; i++) {
            taken.merge(
                    gateway.members.take(0, false, Set.of()).member().address.name(), 1, Integer::sum);
            assertThat(spread(taken)).isLessThanOrEqualTo(SLOTS / 2.0);
        }
        assertThat(taken.values()).containsOnly(SLOTS);
        assertThat(catchThrowableOfType(EngineException.class, () -> gateway.members.take(0, false, Set.of()))
                        .failure())
                .isEqualTo(EngineFailure.BUSY);
    }

    @Test
    void theWorkerWithLessReservedMemoryIsTakenWhenSlotsAreEqual() {
        Gateway gateway = new Gateway(2);
        Lease large = gateway.members.take(1_000, false, Set.of());
        for (int i = 0; i < 3; i++) {
            Lease next = gateway.members.take(100, false, Set.of());
            assertThat(next.member()).isNotSameAs(large.member());
        }
        assertThat(gateway.members.take(700, false, Set.of()).member()).isNotSameAs(large.member());
    }

    @Test
    void aQueryGoesOnlyWhereItsMemoryFits() {
        Gateway gateway = new Gateway(2);
        Lease first = gateway.members.take(1_000, false, Set.of());
        Lease second = gateway.members.take(1_000, false, Set.of());
        assertThat(second.member()).isNotSameAs(first.member());
        assertThat(catchThrowableOfType(EngineException.class, () -> gateway.members.take(1_000, false, Set.of()))
                        .failure())
                .isEqualTo(EngineFailure.BUSY);
        first.release();
        first.release();
        assertThat(gateway.members.take(1_000, false, Set.of()).member()).isSameAs(first.member());
        assertThat(catchThrowableOfType(EngineException.class, () -> gateway.members.take(MEMORY + 1, false, Set.of()))
                        .failure())
                .isEqualTo(EngineFailure.MEMORY);
    }

    @Test
    void aWorkerThatComesBackGetsItsShareLittleByLittle() {
        Gateway gateway = new Gateway(2);
        Member back = gateway.all.get(0);
        for (int i = 0; i < 3; i++) {
            gateway.members.failed(back, "gone");
        }
        assertThat(gateway.members.capacity().slots()).isEqualTo(SLOTS);
        gateway.hear(Map.of());
        gateway.hear(Map.of());
        int early = 0;
        for (int i = 0; i < 8; i++) {
            early += gateway.members.take(0, false, Set.of()).member() == back ? 1 : 0;
        }
        assertThat(early).isLessThanOrEqualTo(1);
        gateway.time.advance(Duration.ofSeconds(5));
        gateway.hear(Map.of());
        assertThat(gateway.members.capacity().slots()).isEqualTo(2 * SLOTS);
        assertThat(gateway.members.take(0, false, Set.of()).member()).isSameAs(back);
    }
}
