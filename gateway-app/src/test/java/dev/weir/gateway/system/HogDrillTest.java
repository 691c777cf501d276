package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two users who only send what takes all memory, beside four who send TPC-H queries, for two minutes: the hogs get
 * MEMORY_LIMIT each time, the others what they get alone, and memory stays within what was configured.
 * {@code -Dweir.drill.seconds} makes it shorter or longer.
 */
@Tag("full")
class HogDrillTest {

    private static final long SECONDS = Long.getLong("weir.drill.seconds", 120);

    private static final long PER_QUERY = 250L << 20;

    /** Of a process beside its query: JVM, native library, stacks, batches. */
    private static final long PROCESS = 260L << 20;

    private static final List<String> HOGS = List.of(
            "select count(*) from unnest(range(100000000))",
            "select max(length(repeat('x', 200000000) || l_comment)) from lineitem",
            "select length(list(l_comment || repeat('y', 2000))::varchar) from lineitem",
            "select len(range(150000000))");

    @TempDir
    Path directory;

    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicLong reads = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong most = new AtomicLong();
    private volatile boolean over;

    @Test
    void hogsHurtNobody() throws Exception {
        Path database = Oracle.tpch("0.1", directory);
        try (TestGateway gateway = TestGateway.start(
                directory.resolve("data"),
                "--weir.engine.duckdb.database=" + database,
                "--weir.engine.duckdb.access=read-only",
                "--weir.engine.duckdb.isolation=process",
                "--weir.admission.max-running=6",
                "--weir.admission.user.max-running=6",
                "--weir.admission.short-lane=0",
                "--weir.admission.memory.budget=1500MB",
                "--weir.admission.memory.per-query=" + PER_QUERY + "B")) {
            QueryEngine engine = gateway.bean(QueryEngine.class);
            Assumptions.assumeTrue(
                    engine.nodes().stream().noneMatch(node -> node.limit().equals("engine")),
                    "needs a memory limit of the operating system");
            run(gateway, engine);
        }
        assertThat(wrong).isEmpty();
        assertThat(reads.get()).isPositive();
        assertThat(refused.get()).isPositive();
        assertThat(most.get()).isLessThan(PER_QUERY + PROCESS);
        System.out.printf(
                "%d TPC-H queries and %d hogs in %d s; most resident memory of one process %d MB%n",
                reads.get(), refused.get(), SECONDS, most.get() >> 20);
    }

    private void run(TestGateway gateway, QueryEngine engine) throws Exception {
        ExecutorService users = Executors.newFixedThreadPool(6);
        List<Future<?>> all = new ArrayList<>();
        ConcurrentHashMap<Integer, String> known = new ConcurrentHashMap<>();
        for (int i = 0; i < 4; i++) {
            int first = i * 5;
            all.add(users.submit(() -> read(gateway, first, known)));
        }
        for (int i = 0; i < 2; i++) {
            int first = i;
            all.add(users.submit(() -> hog(gateway, first)));
        }
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() < end) {
            for (EngineNode node : engine.nodes()) {
                most.accumulateAndGet(resident(node), Math::max);
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
        over = true;
        for (Future<?> user : all) {
            user.get(120, TimeUnit.SECONDS);
        }
        users.shutdown();
    }

    private Void read(TestGateway gateway, int first, ConcurrentHashMap<Integer, String> known) throws Exception {
        for (int i = first; !over; i++) {
            int number = i % 22 + 1;
            HttpResponse<String> answer = gateway.sql(TestGateway.READER, "text/csv", Oracle.query(number));
            String before = known.putIfAbsent(number, answer.body());
            if (answer.statusCode() != 200 || (before != null && !before.equals(answer.body()))) {
                wrong.add("Q" + number + ": " + answer.statusCode() + " "
                        + answer.body().lines().limit(3).toList());
            }
            reads.incrementAndGet();
        }
        return null;
    }

    private Void hog(TestGateway gateway, int first) throws Exception {
        for (int i = first; !over; i++) {
            HttpResponse<String> answer = gateway.sql(TestGateway.WRITER, "text/csv", HOGS.get(i % HOGS.size()));
            if (!answer.body().contains("MEMORY_LIMIT")) {
                wrong.add("hog " + i % HOGS.size() + ": " + answer.statusCode() + " " + answer.body());
            }
            refused.incrementAndGet();
        }
        return null;
    }

    private static long resident(EngineNode node) {
        Path status = Path.of("/proc", node.address().substring("pid ".length()), "status");
        try {
            return Files.readAllLines(status).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            return 0;
        }
    }
}
