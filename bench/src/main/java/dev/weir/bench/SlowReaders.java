package dev.weir.bench;

import java.net.http.HttpClient;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Readers of a large result that take one batch a second, half of them on either front, and another user's short queries at
 * fixed times over both fronts: alone and beside the readers, in turns. Latency counts from the moment a query was due. Users
 * {@code light} and {@code reader0} to {@code reader7} have the target's password.
 */
final class SlowReaders {

    private static final int READERS = 8;
    private static final long BATCH_EVERY_MILLIS = 1000;
    private static final long SHORT_EVERY_MILLIS = 100;
    private static final long SETTLE_SECONDS = 3;
    private static final int KEYS = 6_000_000;
    private static final String BIG = "select * from lineitem";

    private final Bench.Target light;
    private final Bench.Target target;
    private final HttpClient http;
    private final int seconds;

    private SlowReaders(Bench.Target target, int seconds) throws Exception {
        this.target = target;
        this.light = target.as("light");
        this.http = Clients.http(target);
        this.seconds = seconds;
    }

    /**
     * What one turn gave.
     *
     * @param http latencies over HTTP in milliseconds, sorted
     * @param flight the same over Flight SQL
     * @param batches that the readers took, per second
     */
    private record Turn(List<Double> http, List<Double> flight, double batches, long failures) {

        double percentile(double part) {
            List<Double> all = new ArrayList<>(http);
            all.addAll(flight);
            Collections.sort(all);
            return of(all, part);
        }

        static double of(List<Double> sorted, double part) {
            return sorted.get((int) (sorted.size() * part));
        }
    }

    static void run(Bench.Target target, int seconds, int turns) throws Exception {
        SlowReaders bench = new SlowReaders(target, seconds);
        // The JVMs compile the path, and the gateway learns that the query is short.
        bench.measure(10, List.of());
        List<Turn> alone = new ArrayList<>();
        List<Turn> beside = new ArrayList<>();
        for (int turn = 0; turn < turns; turn++) {
            alone.add(bench.measure(seconds, List.of()));
            beside.add(bench.besideReaders());
        }
        Bench.print(
                turns + " x " + seconds + " s, ms",
                "p50",
                "p95",
                "p95 http",
                "p95 flight",
                "to alone",
                "batches/s",
                "failures");
        print("short queries alone", alone, alone);
        print("beside " + READERS + " slow readers", beside, alone);
    }

    private static void print(String name, List<Turn> turns, List<Turn> alone) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < turns.size(); i++) {
            ratios.add(turns.get(i).percentile(0.95) / alone.get(i).percentile(0.95));
        }
        Bench.print(
                name,
                median(turns.stream().map(turn -> turn.percentile(0.5)).toList()),
                median(turns.stream().map(turn -> turn.percentile(0.95)).toList()),
                median(turns.stream().map(turn -> Turn.of(turn.http(), 0.95)).toList()),
                median(turns.stream().map(turn -> Turn.of(turn.flight(), 0.95)).toList()),
                median(ratios),
                median(turns.stream().map(Turn::batches).toList()),
                turns.stream().mapToLong(Turn::failures).sum());
    }

    private static double median(List<Double> values) {
        List<Double> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private Turn besideReaders() throws Exception {
        List<SlowReader> readers = new ArrayList<>();
        try {
            for (int i = 0; i < READERS; i++) {
                Bench.Target reader = target.as("reader" + i);
                readers.add(
                        i % 2 == 0
                                ? SlowReader.overHttp(reader, BIG, BATCH_EVERY_MILLIS)
                                : SlowReader.overFlight(reader, BIG, BATCH_EVERY_MILLIS));
            }
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
            return measure(seconds, readers);
        } finally {
            for (SlowReader reader : readers) {
                reader.stop();
            }
            TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
        }
    }

    private Turn measure(int measured, List<SlowReader> readers) throws Exception {
        long before = readers.stream().mapToLong(SlowReader::batches).sum();
        long begin = System.nanoTime();
        long end = begin + TimeUnit.SECONDS.toNanos(measured);
        List<Double> overHttp = new ArrayList<>();
        List<Double> overFlight = new ArrayList<>();
        Thread other = new Thread(() -> {
            try (Clients.Flight flight = Clients.flight(light, light.flightPort())) {
                shortQueries(
                        begin + TimeUnit.MILLISECONDS.toNanos(SHORT_EVERY_MILLIS / 2),
                        end,
                        overFlight,
                        sql -> Clients.submit(flight, sql));
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        other.start();
        shortQueries(begin, end, overHttp, sql -> Clients.submit(http, light, sql));
        other.join();
        Collections.sort(overHttp);
        Collections.sort(overFlight);
        long taken = readers.stream().mapToLong(SlowReader::batches).sum() - before;
        return new Turn(
                overHttp,
                overFlight,
                (double) taken / measured,
                readers.stream().mapToLong(SlowReader::failures).sum());
    }

    private interface Submit {
        /** False when it was refused. */
        boolean run(String sql) throws Exception;
    }

    private static void shortQueries(long begin, long end, List<Double> latencies, Submit submit) throws Exception {
        long every = TimeUnit.MILLISECONDS.toNanos(SHORT_EVERY_MILLIS);
        for (long due = begin; due < end; due += every) {
            long wait = due - System.nanoTime();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            int key = ThreadLocalRandom.current().nextInt(KEYS);
            while (!submit.run("select count(*), sum(l_quantity) from lineitem where l_orderkey between " + key
                    + " and " + (key + 1000))) {
                Thread.sleep(100);
            }
            latencies.add((System.nanoTime() - due) / 1e6);
        }
    }
}
