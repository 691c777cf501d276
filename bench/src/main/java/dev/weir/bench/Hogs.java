package dev.weir.bench;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A query that takes all memory it can get every three seconds, of each kind in turn, beside four users who send TPC-H queries,
 * with a process for each query and with one instance for all. Users {@code hog} and {@code user0} to {@code user3} have the
 * target's password. Results are compared with those that the same gateway gave before, alone.
 */
final class Hogs {

    private static final int USERS = 4;
    private static final long HOG_EVERY_SECONDS = 3;
    private static final double MB = 1 << 20;

    /** For hogs that are under way when the time is up; what has no answer then counts as failed. */
    private static final long PATIENCE_SECONDS = 180;

    private final Bench.Target target;
    private final HttpClient http;
    private final int seconds;
    private final List<String> queries;
    private final List<String> hogs;

    private Hogs(Bench.Target target, int seconds, Path queries, Path hogs) throws Exception {
        this.target = target;
        this.http = Clients.http(target);
        this.seconds = seconds;
        this.queries = texts(queries);
        this.hogs = texts(hogs);
    }

    private static List<String> texts(Path directory) throws IOException {
        List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.sorted().toList()) {
                texts.add(Files.readString(file));
            }
        }
        return texts;
    }

    /** What became of the queries of one kind of isolation. */
    private static final class Counts {
        final AtomicInteger done = new AtomicInteger();
        final AtomicInteger failed = new AtomicInteger();
        final AtomicInteger refused = new AtomicInteger();
        final AtomicInteger finished = new AtomicInteger();
        final AtomicInteger otherwise = new AtomicInteger();
    }

    /**
     * @param managementPort of the gateway, in plaintext
     * @param serve a program that becomes a gateway; its argument is the isolation
     */
    static void run(Bench.Target target, int managementPort, int seconds, Path queries, Path hogs, Path serve)
            throws Exception {
        Bench.print(
                seconds + " s",
                "TPC-H",
                "failed",
                "hogs over",
                "finished",
                "failed",
                "workers MB",
                "gateway MB",
                "its growth",
                "restarts");
        for (String isolation : List.of("process", "shared")) {
            Path log = serve.resolveSibling("server-" + isolation + ".log");
            try (WatchedServer server =
                    WatchedServer.start(managementPort, List.of(serve.toString(), isolation), log)) {
                new Hogs(target, seconds, queries, hogs).measure("isolation: " + isolation, server);
            }
        }
    }

    private void measure(String name, WatchedServer server) throws Exception {
        List<String> alone = new ArrayList<>();
        for (String query : queries) {
            HttpResponse<String> answer = ask("user0", query);
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(query + ": " + answer.body());
            }
            alone.add(answer.body());
        }
        server.beginSamples();
        Counts counts = load(server, alone);
        Bench.print(
                name,
                counts.done,
                counts.failed,
                counts.refused,
                counts.finished,
                counts.otherwise,
                Math.round(server.mostBelow() / MB),
                Math.round(server.mostOwn(0, 1) / MB),
                Math.round((server.mostOwn(0.75, 1) - server.mostOwn(0, 0.25)) / MB),
                server.restarts());
    }

    private HttpResponse<String> ask(String user, String sql) throws IOException, InterruptedException {
        return http.send(
                Clients.query(target.as(user), sql)
                        .header("Accept", "text/csv")
                        .timeout(Duration.ofSeconds(seconds + PATIENCE_SECONDS))
                        .build(),
                BodyHandlers.ofString());
    }

    private Counts load(WatchedServer server, List<String> alone) throws Exception {
        Counts counts = new Counts();
        ExecutorService clients = Executors.newCachedThreadPool();
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        for (int i = 0; i < USERS; i++) {
            String user = "user" + i;
            int first = i * 5;
            var unused = clients.submit(() -> {
                for (int query = first; System.nanoTime() < end; query++) {
                    read(server, user, query % queries.size(), alone, end, counts);
                }
                return null;
            });
        }
        int sent = 0;
        for (; sent * HOG_EVERY_SECONDS < seconds; sent++) {
            long due = begin + TimeUnit.SECONDS.toNanos(sent * HOG_EVERY_SECONDS);
            TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
            String sql = hogs.get(sent % hogs.size());
            var unused = clients.submit(() -> {
                hog(sql, counts);
                return null;
            });
        }
        clients.shutdown();
        TimeUnit.NANOSECONDS.sleep(end - System.nanoTime());
        if (!clients.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            clients.shutdownNow();
            clients.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
        counts.otherwise.set(sent - counts.refused.get() - counts.finished.get());
        return counts;
    }

    private void read(WatchedServer server, String user, int number, List<String> alone, long end, Counts counts)
            throws InterruptedException {
        try {
            HttpResponse<String> answer = ask(user, queries.get(number));
            if (answer.statusCode() == 200 && answer.body().equals(alone.get(number))) {
                counts.done.incrementAndGet();
                return;
            }
            counts.failed.incrementAndGet();
            System.err.println(user + ", query " + (number + 1) + ": " + answer.statusCode() + " "
                    + answer.body().lines().findFirst().orElse(""));
        } catch (IOException e) {
            counts.failed.incrementAndGet();
            System.err.println(user + ", query " + (number + 1) + ": " + e);
        }
        server.awaitUp(end);
    }

    private void hog(String sql, Counts counts) throws InterruptedException {
        try {
            HttpResponse<String> answer = ask("hog", sql);
            if (answer.statusCode() == 200) {
                counts.finished.incrementAndGet();
            } else if (answer.body().contains("MEMORY_LIMIT")) {
                counts.refused.incrementAndGet();
            } else {
                System.err.println("hog: " + answer.statusCode() + " " + answer.body());
            }
        } catch (IOException e) {
            System.err.println("hog: " + e);
        }
    }
}
