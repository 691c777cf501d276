package dev.weir.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;

/** A client that takes one batch of a large result after the other, with a pause after each, until it is stopped. */
final class SlowReader {

    /** One result, read batch by batch. */
    private interface Source extends AutoCloseable {
        boolean next() throws Exception;

        @Override
        void close() throws Exception;
    }

    private interface Opener {
        Source open() throws Exception;
    }

    private final Opener opener;
    private final long pauseMillis;
    private final AtomicLong batches = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final Thread thread = new Thread(this::run);
    private volatile boolean over;

    private SlowReader(Opener opener, long pauseMillis) {
        this.opener = opener;
        this.pauseMillis = pauseMillis;
    }

    static SlowReader overHttp(Bench.Target target, String sql, long pauseMillis) throws Exception {
        HttpClient client = Clients.http(target);
        return new SlowReader(() -> new HttpSource(client, target, sql), pauseMillis).started();
    }

    static SlowReader overFlight(Bench.Target target, String sql, long pauseMillis) {
        return new SlowReader(() -> new FlightSource(target, sql), pauseMillis).started();
    }

    private SlowReader started() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** Batches taken so far. */
    long batches() {
        return batches.get();
    }

    /** Results that ended with an error so far, refusals among them. */
    long failures() {
        return failures.get();
    }

    /** Leaves in the middle of the result, and returns when the connection is closed. */
    void stop() throws InterruptedException {
        over = true;
        thread.interrupt();
        thread.join();
    }

    private void run() {
        while (!over) {
            try (Source source = opener.open()) {
                while (!over && source.next()) {
                    batches.incrementAndGet();
                    Thread.sleep(pauseMillis);
                }
            } catch (Exception e) {
                if (!over) {
                    failures.incrementAndGet();
                    System.err.println("slow reader: " + e);
                    pause();
                }
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(pauseMillis);
        } catch (InterruptedException stopped) {
            over = true;
        }
    }

    private static final class HttpSource implements Source {

        private final BufferAllocator allocator = new RootAllocator();
        private final InputStream body;
        private final ArrowStreamReader reader;

        HttpSource(HttpClient client, Bench.Target target, String sql) throws IOException, InterruptedException {
            HttpResponse<InputStream> response = client.send(
                    Clients.query(target, sql)
                            .header("Accept", "application/vnd.apache.arrow.stream")
                            .build(),
                    BodyHandlers.ofInputStream());
            body = response.body();
            if (response.statusCode() != 200) {
                throw new IOException(
                        response.statusCode() + " " + new String(body.readAllBytes(), StandardCharsets.UTF_8));
            }
            reader = new ArrowStreamReader(body, allocator);
        }

        @Override
        public boolean next() throws IOException {
            return reader.loadNextBatch();
        }

        /** The body first: nothing more is read of it. */
        @Override
        public void close() throws IOException {
            body.close();
            reader.close(false);
            allocator.close();
        }
    }

    private static final class FlightSource implements Source {

        private final Clients.Flight flight;
        private final FlightStream stream;

        FlightSource(Bench.Target target, String sql) throws IOException {
            flight = Clients.flight(target, target.flightPort());
            stream = flight.client().getStream(Clients.ticket(sql), flight.credentials());
        }

        @Override
        public boolean next() {
            return stream.next();
        }

        @Override
        public void close() throws Exception {
            stream.cancel("left", null);
            stream.close();
            flight.close();
        }
    }
}
