package dev.weir.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Many heavy clients in a loop and a few light ones at fixed times, half of each on either front, with admission in several
 * settings in turns. Latency of light queries counts from the moment they were due. Users {@code heavy} and {@code light}
 * have the target's password; the target's user changes the limits.
 */
final class Contention {

    private static final int LIGHT_CLIENTS = 8;
    private static final long LIGHT_EVERY_MILLIS = 250;
    /** More than there are clients. */
    private static final int MOST_RUNNING = 200;

    private static final int KEYS = 6_000_000;

    private final Bench.Target target;
    private final HttpClient http;
    private final int heavyClients;
    private final int seconds;
    private final List<String> heavy = new ArrayList<>();
    private final Map<String, Double> soloSeconds = new LinkedHashMap<>();

    private Contention(Bench.Target target, Path queries, int heavyClients, int seconds) throws Exception {
        this.target = target;
        this.http = Clients.http(target);
        this.heavyClients = heavyClients;
        this.seconds = seconds;
        for (String name : List.of("q09.sql", "q18.sql")) {
            heavy.add(Files.readString(queries.resolve(name)));
        }
    }

    /** One setting of admission. */
    private record Setting(String name, String limits, boolean newTexts) {}

    /** What one turn gave. */
    private record Turn(double lightP50, double lightP95, double workSeconds, int heavyDone, int refused) {}

    static void run(Bench.Target target, Path queries, int heavyClients, int seconds, int turns) throws Exception {
        int cap = 2 * Runtime.getRuntime().availableProcessors();
        List<Setting> settings = List.of(
                setting("off", MOST_RUNNING, 0, 10_000, false),
                setting("cap " + cap, cap, 0, 10_000, false),
                setting("cap " + cap + ", lane " + cap, cap, cap, 10_000, false),
                setting("the same, a new text each time", cap, cap, 10_000, true),
                setting("reject at cap " + cap, cap, 0, 0, false));
        Contention contention = new Contention(target, queries, heavyClients, seconds);
        contention.limits(settings.get(0).limits());
        contention.measureSolo();
        Map<Setting, List<Turn>> results = new LinkedHashMap<>();
        for (int turn = 0; turn < turns; turn++) {
            for (Setting setting : settings) {
                contention.limits(setting.limits());
                results.computeIfAbsent(setting, key -> new ArrayList<>()).add(contention.turn(setting.newTexts()));
            }
        }
        print(results, settings.get(0), heavyClients, seconds, turns);
    }

    private static Setting setting(String name, int cap, int lane, int queued, boolean newTexts) {
        return new Setting(
                name,
                "{\"max-running\":" + cap + ",\"short-lane\":" + lane + ",\"max-queued\":" + queued
                        + ",\"queue-timeout\":\"1h\",\"memory\":{\"per-query\":\"1MB\"},\"user\":{\"max-running\":"
                        + cap
                        + ",\"max-queued\":" + queued + "}}",
                newTexts);
    }

    private static void print(Map<Setting, List<Turn>> results, Setting off, int heavyClients, int seconds, int turns) {
        Bench.print(
                heavyClients + " heavy clients, " + turns + " x " + seconds + " s",
                "light p50",
                "light p95",
                "to off",
                "work s",
                "to off",
                "heavy",
                "refused");
        List<Turn> base = results.getOrDefault(off, List.of());
        results.forEach((setting, all) -> Bench.print(
                setting.name(),
                median(all.stream().map(Turn::lightP50).toList()),
                median(all.stream().map(Turn::lightP95).toList()),
                median(ratios(all, base, true)),
                median(all.stream().map(Turn::workSeconds).toList()),
                median(ratios(all, base, false)),
                (int) median(all.stream().map(turn -> (double) turn.heavyDone()).toList()),
                (int) median(all.stream().map(turn -> (double) turn.refused()).toList())));
    }

    private static List<Double> ratios(List<Turn> turns, List<Turn> base, boolean latency) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < turns.size(); i++) {
            ratios.add(
                    latency
                            ? turns.get(i).lightP95() / base.get(i).lightP95()
                            : turns.get(i).workSeconds() / base.get(i).workSeconds());
        }
        return ratios;
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private void measureSolo() throws Exception {
        for (String sql : heavy) {
            double[] times = new double[5];
            for (int i = 0; i < times.length; i++) {
                long start = System.nanoTime();
                submit("heavy", sql);
                times[i] = (System.nanoTime() - start) / 1e9;
            }
            Arrays.sort(times);
            soloSeconds.put(sql, times[times.length / 2]);
        }
    }

    private void limits(String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("https://localhost:" + target.httpPort() + "/v1/admission/limits"))
                .header("Authorization", Clients.basic(target))
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(json))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IllegalStateException(answer.statusCode() + " " + answer.body());
        }
    }

    private Turn turn(boolean newTexts) throws Exception {
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(seconds);
        List<Double> latencies = Collections.synchronizedList(new ArrayList<>());
        List<Double> work = Collections.synchronizedList(new ArrayList<>());
        List<Integer> refused = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < heavyClients; i++) {
            int number = i;
            threads.add(start(() -> heavyLoop(number, end, newTexts, work, refused)));
        }
        for (int i = 0; i < LIGHT_CLIENTS; i++) {
            int number = i;
            threads.add(start(() -> lightLoop(number, begin, end, latencies, refused)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        double[] sorted =
                latencies.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return new Turn(
                sorted[sorted.length / 2],
                sorted[(int) (sorted.length * 0.95)],
                work.stream().mapToDouble(Double::doubleValue).sum(),
                work.size(),
                refused.size());
    }

    private interface Work {
        void run() throws Exception;
    }

    private static Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        thread.start();
        return thread;
    }

    /** Work that is under way at the end counts by the part of its time that lies before. */
    private void heavyLoop(int number, long end, boolean newTexts, List<Double> work, List<Integer> refused)
            throws Exception {
        try (Clients.Flight flight = number % 2 == 0 ? null : flight("heavy")) {
            for (int i = number; System.nanoTime() < end; i++) {
                String sql = heavy.get(i % heavy.size());
                String text = newTexts ? varied(sql) : sql;
                long start = System.nanoTime();
                boolean done = flight == null ? submit("heavy", text) : Clients.submit(flight, text);
                long now = System.nanoTime();
                if (!done) {
                    refused.add(1);
                    Thread.sleep(ThreadLocalRandom.current().nextInt(500));
                } else {
                    double part = now <= end ? 1 : (double) (end - start) / (now - start);
                    work.add(part * soloSeconds.getOrDefault(sql, 0.0));
                }
            }
        }
    }

    /** Another shape, not only other values: values do not change a statement's fingerprint. */
    private static String varied(String sql) {
        return "with t" + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE) + " as (select 1) " + sql;
    }

    private void lightLoop(int number, long begin, long end, List<Double> latencies, List<Integer> refused)
            throws Exception {
        long every = TimeUnit.MILLISECONDS.toNanos(LIGHT_EVERY_MILLIS);
        try (Clients.Flight flight = number % 2 == 0 ? null : flight("light")) {
            for (long due = begin + every * number / LIGHT_CLIENTS; due < end; due += every) {
                long wait = due - System.nanoTime();
                if (wait > 0) {
                    TimeUnit.NANOSECONDS.sleep(wait);
                }
                int key = ThreadLocalRandom.current().nextInt(KEYS);
                String sql = "select count(*), sum(l_quantity) from lineitem where l_orderkey between " + key + " and "
                        + (key + 1000);
                while (!(flight == null ? submit("light", sql) : Clients.submit(flight, sql))) {
                    refused.add(1);
                    Thread.sleep(100);
                }
                latencies.add((System.nanoTime() - due) / 1e6);
            }
        }
    }

    private Clients.Flight flight(String user) throws IOException {
        return Clients.flight(target.as(user), target.flightPort());
    }

    private boolean submit(String user, String sql) throws Exception {
        return Clients.submit(http, target.as(user), sql);
    }
}
