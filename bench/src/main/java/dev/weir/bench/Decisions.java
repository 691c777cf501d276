package dev.weir.bench;

import dev.weir.admission.AdmissionController;
import dev.weir.admission.AdmissionControllers;
import dev.weir.admission.AdmissionLimits;
import dev.weir.admission.AdmissionListener;
import dev.weir.admission.AdmissionRequest;
import dev.weir.admission.GroupLimits;
import dev.weir.admission.RunPermit;
import dev.weir.admission.UserLimits;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What one decision of admission costs with a long queue: a permit is closed, which grants the next in turn, and a
 * newcomer takes a place in the queue.
 */
final class Decisions {

    private static final int CAP = 8;
    private static final int DECISIONS = 200_000;

    private Decisions() {}

    /** Prints microseconds for several numbers of users and groups. */
    static void run(int queued) {
        Bench.print("one decision, us", "p50", "p99", "mean");
        for (int groups : new int[] {1, 16}) {
            for (int users : new int[] {1, 1_000, 10_000}) {
                measure(queued, groups, users);
            }
        }
    }

    private static void measure(int queued, int groups, int users) {
        long[] now = {0};
        AdmissionController controller = AdmissionControllers.create(
                limits(groups), () -> now[0], (task, delay) -> () -> {}, Runnable::run, AdmissionListener.NONE);
        Deque<RunPermit> running = new ArrayDeque<>();
        for (int i = 0; i < queued + CAP; i++) {
            submit(controller, i, groups, users, running);
        }
        double[] micros = new double[DECISIONS];
        for (int i = -DECISIONS; i < DECISIONS; i++) {
            now[0] += 1_000_000;
            long start = System.nanoTime();
            running.remove().close(RunPermit.Outcome.FINISHED);
            submit(controller, i, groups, users, running);
            if (i >= 0) {
                micros[i] = (System.nanoTime() - start) / 1e3;
            }
        }
        if (controller.snapshot().queued() != queued) {
            throw new IllegalStateException(controller.snapshot().queued() + " queued");
        }
        double mean = Arrays.stream(micros).average().orElseThrow();
        Arrays.sort(micros);
        Bench.print(
                queued + " queued, " + groups + " groups, " + users + " users",
                micros[DECISIONS / 2],
                micros[(int) (DECISIONS * 0.99)],
                mean);
    }

    private static void submit(AdmissionController controller, int i, int groups, int users, Deque<RunPermit> running) {
        int user = Math.floorMod(i * 7919, users);
        controller
                .admit(new AdmissionRequest(
                        "q" + i,
                        "user" + user,
                        List.of("group" + user % groups),
                        i % 5_000,
                        OptionalLong.empty(),
                        Duration.ofDays(1)))
                .permit()
                .thenAccept(running::add);
    }

    private static AdmissionLimits limits(int groups) {
        GroupLimits open = new GroupLimits(
                CAP,
                1_000_000,
                1,
                Duration.ofDays(1),
                1_000_000,
                1,
                1_000_000,
                null,
                new UserLimits(CAP, 1_000_000, 0, null));
        Map<String, GroupLimits> all = new HashMap<>(Map.of(AdmissionLimits.DEFAULT_GROUP, open));
        for (int i = 0; i < groups; i++) {
            all.put("group" + i, open);
        }
        // Virtual run times of 1 ms and up: without a threshold below that, everything would be short.
        return new AdmissionLimits(CAP, 1_000_000, 4, Duration.ofNanos(1), 0, 1_000_000, null, all);
    }
}
