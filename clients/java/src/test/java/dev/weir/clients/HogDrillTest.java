package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A query that takes all memory it can get every three seconds, of each kind in turn, beside four users who send TPC-H
 * queries, for two minutes: the hogs get MEMORY_LIMIT, the others what they get alone, and memory stays within what was
 * configured. {@code -Dweir.drill.seconds} makes it shorter or longer.
 */
@Tag("full")
class HogDrillTest {

    private static final long SECONDS = Long.getLong("weir.drill.seconds", 120);

    private static final long HOG_EVERY_SECONDS = 3;
    private static final int USERS = 4;
    private static final int SLOTS = 4;
    private static final long MB = 1L << 20;
    private static final long PER_QUERY = 512 * MB;

    /** Of a process beside its query: JVM, native library, stacks, batches. */
    private static final long PROCESS = 150 * MB;

    /** For the process that all share, and those that are being replaced. */
    private static final long OTHERS = 512 * MB;

    private static final long GATEWAY_GROWTH = 100 * MB;

    private final Map<Integer, List<List<String>>> expected = new HashMap<>();
    private final List<String> wrong = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> hogs = new ConcurrentSkipListMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private final ExecutorService clients = Executors.newCachedThreadPool();

    @Test
    void hogsHurtNobody() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/status")), "needs Linux");
        try (Gateway gateway = Gateway.start(
                "--weir.engine.duckdb.access=read-only",
                "--weir.engine.duckdb.isolation=process",
                "--weir.engine.duckdb.max-temp-size=0B",
                "--weir.admission.queue-timeout=10m",
                "--weir.admission.max-running=" + SLOTS,
                "--weir.admission.user.max-running=" + SLOTS,
                "--weir.admission.short-lane=0",
                "--weir.admission.memory.budget=" + SLOTS * PER_QUERY + "B",
                "--weir.admission.memory.per-query=" + PER_QUERY + "B")) {
            Http http = new Http(gateway);
            addUsers(gateway, http);
            try (Connection own = Database.open(gateway.copyOfDatabase())) {
                for (int query : Tpch.numbers()) {
                    expected.put(query, Cells.rows(own, Tpch.sql(query)));
                }
            }
            MemorySamples memory = MemorySamples.of(gateway.process().toHandle());
            try (memory) {
                load(http);
            }
            report(memory);
            assertThat(wrong).isEmpty();
            assertThat(reads.get()).isPositive();
            assertThat(hogs).hasSize(hogTexts().size());
            assertThat(memory.mostBelow()).isLessThan(SLOTS * (PER_QUERY + PROCESS) + OTHERS);
            assertThat(memory.mostIn(3) - memory.mostIn(0)).isLessThan(GATEWAY_GROWTH);
        } finally {
            clients.shutdownNow();
        }
    }

    private static String user(int number) {
        return "user" + number;
    }

    private static void addUsers(Gateway gateway, Http http) throws Exception {
        for (int i = 0; i < USERS; i++) {
            String user = user(i);
            Gateway.addUser(gateway.dataDirectory(), user, "reader");
            Awaitility.await("the gateway knows " + user)
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> http.client()
                                    .send(http.query(user, "text/csv", "select 1"), BodyHandlers.discarding())
                                    .statusCode()
                            == 200);
        }
    }

    private static List<Path> hogTexts() throws IOException {
        try (var files = Files.list(Path.of("..", "hogs"))) {
            return files.sorted().toList();
        }
    }

    private void load(Http http) throws Exception {
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(SECONDS);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < USERS; i++) {
            String user = user(i);
            int first = i * 5;
            all.add(clients.submit(() -> {
                for (int query = first; System.nanoTime() < end; query++) {
                    read(http, user, query % 22 + 1);
                }
                return null;
            }));
        }
        List<Path> texts = hogTexts();
        for (int i = 0; begin + TimeUnit.SECONDS.toNanos(i * HOG_EVERY_SECONDS) < end; i++) {
            long due = begin + TimeUnit.SECONDS.toNanos(i * HOG_EVERY_SECONDS);
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            Path text = texts.get(i % texts.size());
            all.add(clients.submit(() -> {
                hog(http, text);
                return null;
            }));
        }
        for (Future<?> client : all) {
            client.get(SECONDS + 120, TimeUnit.SECONDS);
        }
    }

    private void read(Http http, String user, int query) throws Exception {
        HttpResponse<InputStream> answer = http.client()
                .send(
                        http.query(user, "application/vnd.apache.arrow.stream", Tpch.sql(query)),
                        BodyHandlers.ofInputStream());
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                wrong.add("Q" + query + ": " + new String(body.readAllBytes(), StandardCharsets.UTF_8));
                return;
            }
            try (BufferAllocator allocator = new RootAllocator();
                    ArrowStreamReader reader = new ArrowStreamReader(body, allocator)) {
                if (!Cells.rows(reader).equals(expected.get(query))) {
                    wrong.add("Q" + query + " has another result");
                }
            }
        } catch (IOException broken) {
            wrong.add("Q" + query + ": " + broken);
        }
        reads.incrementAndGet();
    }

    private void hog(Http http, Path text) throws Exception {
        HttpResponse<String> answer = http.client()
                .send(http.query(Gateway.WRITER, "text/csv", Files.readString(text)), BodyHandlers.ofString());
        boolean limited = answer.statusCode() == 422 && answer.body().contains("MEMORY_LIMIT");
        hogs.merge(text.getFileName().toString(), 1, Integer::sum);
        if (!limited && answer.statusCode() != 200) {
            wrong.add(text.getFileName() + ": " + answer.statusCode() + " " + answer.body());
        }
    }

    private void report(MemorySamples memory) {
        System.out.printf(
                "%d TPC-H queries in %d s, hogs %s; of %d samples most resident memory of all processes %d MB, of the"
                        + " gateway by quarters %d, %d, %d, %d MB%n",
                reads.get(),
                SECONDS,
                hogs,
                memory.count(),
                memory.mostBelow() / MB,
                memory.mostIn(0) / MB,
                memory.mostIn(1) / MB,
                memory.mostIn(2) / MB,
                memory.mostIn(3) / MB);
    }
}
