package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Two gateways behind a balancer, under load on both fronts: each is taken out of service, stopped with SIGTERM and
 * started again in turn; then one is killed. Users {@code load} (reader) and {@code bench} (admin) have the target's
 * password.
 */
final class Rolling implements AutoCloseable {

    private static final int STEADY_SECONDS = 10;
    private static final int START_SECONDS = 90;
    private static final int STOP_SECONDS = 60;

    /** @param httpPort of the gateway itself, behind the balancer */
    private record Place(String name, int httpPort, int flightPort) {}

    private final Bench.Target balanced;
    private final List<Place> places;
    private final Path serve;
    private final List<Process> processes = new ArrayList<>();
    private final ReadyWatch ready;

    private Rolling(Bench.Target balanced, List<Place> places, Path serve) throws Exception {
        this.balanced = balanced;
        this.places = places;
        this.serve = serve;
        this.ready = new ReadyWatch(
                Clients.http(balanced), places.stream().map(Place::httpPort).toList());
    }

    /**
     * @param balanced where the balancer shall listen
     * @param ports HTTP and Flight ports of the two gateways
     * @param serve a program that becomes a gateway; its argument is {@code a} or {@code b}
     */
    static void run(Bench.Target balanced, List<Integer> ports, Path serve) throws Exception {
        List<Place> places =
                List.of(new Place("a", ports.get(0), ports.get(1)), new Place("b", ports.get(2), ports.get(3)));
        try (Rolling drill = new Rolling(balanced, places, serve)) {
            drill.measure();
        }
    }

    private void measure() throws Exception {
        for (int i = 0; i < places.size(); i++) {
            processes.add(launch(places.get(i)));
        }
        ready.start();
        awaitReady(0);
        awaitReady(1);
        try (Balancer http = new Balancer(
                        balanced.httpPort(),
                        places.stream().map(Place::httpPort).toList(),
                        ready::isUp);
                Balancer flight = new Balancer(
                        balanced.flightPort(),
                        places.stream().map(Place::flightPort).toList(),
                        ready::isUp);
                RollingLoad load = new RollingLoad(balanced.as("load"))) {
            RollingLoad.printHead();
            load.phase("both serve", () -> TimeUnit.SECONDS.sleep(STEADY_SECONDS));
            load.phase("a is restarted", () -> restart(0));
            load.phase("b is restarted", () -> restart(1));
            load.phase("a is killed", () -> {
                processes.get(0).destroyForcibly();
                load.killedNow();
                TimeUnit.SECONDS.sleep(STEADY_SECONDS);
            });
            System.out.printf(
                    Locale.ROOT,
                    "%nAfter the kill the last of %d errors came after %d ms.%n",
                    load.errorsSinceKill(),
                    load.lastErrorMillis());
            load.complaints().forEach(System.out::println);
        }
    }

    private Process launch(Place place) throws IOException {
        return new ProcessBuilder(serve.toString(), place.name())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        serve.resolveSibling("server-" + place.name() + ".log").toFile()))
                .start();
    }

    /** As an operator does it: out of service, wait, stop, start, wait. */
    private void restart(int number) throws Exception {
        Place place = places.get(number);
        ProcessBuilder drain = new ProcessBuilder(
                "bin/weir",
                "drain",
                "--url",
                "https://localhost:" + place.httpPort(),
                "-u",
                "bench",
                "--ca",
                balanced.certificate().toString());
        drain.environment().put("WEIR_PASSWORD", balanced.password());
        Process draining = drain.redirectErrorStream(true)
                .redirectOutput(serve.resolveSibling("drain.log").toFile())
                .start();
        if (!draining.waitFor(STOP_SECONDS, TimeUnit.SECONDS) || draining.exitValue() != 0) {
            throw new IllegalStateException("The drain of " + place.name() + " did not end well");
        }
        // Connections that wait between two queries find out that they must go elsewhere.
        TimeUnit.SECONDS.sleep(STEADY_SECONDS / 2);
        Process process = processes.get(number);
        process.destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Gateway " + place.name() + " does not stop");
        }
        processes.set(number, launch(place));
        awaitReady(number);
        TimeUnit.SECONDS.sleep(STEADY_SECONDS / 2);
    }

    private void awaitReady(int number) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!ready.isUp(number)) {
            if (System.nanoTime() > end || !processes.get(number).isAlive()) {
                throw new IllegalStateException("Gateway " + places.get(number).name() + " does not start");
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    @Override
    public void close() {
        ready.close();
        processes.forEach(Process::destroyForcibly);
    }
}
