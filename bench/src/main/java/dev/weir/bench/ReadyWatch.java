package dev.weir.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Asks gateways four times a second whether they are ready, as a balancer does. */
final class ReadyWatch implements AutoCloseable {

    private static final long EVERY_MILLIS = 250;

    private final HttpClient http;
    private final List<Integer> ports;
    private final AtomicIntegerArray up;
    private final Thread watch = new Thread(this::watch, "ready-watch");

    ReadyWatch(HttpClient http, List<Integer> ports) {
        this.http = http;
        this.ports = ports;
        this.up = new AtomicIntegerArray(ports.size());
        watch.setDaemon(true);
    }

    void start() {
        watch.start();
    }

    boolean isUp(int place) {
        return up.get(place) != 0;
    }

    private void watch() {
        try {
            while (true) {
                for (int i = 0; i < ports.size(); i++) {
                    up.set(i, ask(ports.get(i)) ? 1 : 0);
                }
                TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean ask(int port) throws InterruptedException {
        try {
            return http.send(
                                    HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/readyz"))
                                            .timeout(Duration.ofSeconds(2))
                                            .build(),
                                    BodyHandlers.discarding())
                            .statusCode()
                    == 200;
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public void close() {
        watch.interrupt();
    }
}
