package dev.weir.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;

/**
 * Clients in a loop, half over HTTP and half over Flight SQL, each over a connection of its own, which it leaves when it is
 * told that the gateway is draining. Every result is counted row by row.
 */
final class RollingLoad implements AutoCloseable {

    private static final int CLIENTS = 6;

    /** Rows of the results in turn: at once, a moment, a second or so. */
    private static final int[] ROWS = {1, 200_000, 3_000_000};

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** What a client does over its connection; ends with the rows that it read. */
    private interface Connection extends AutoCloseable {
        long read(int rows) throws Exception;

        @Override
        void close() throws Exception;
    }

    /** What happens while the clients go on. */
    interface Phase {
        void run() throws Exception;
    }

    /** A refusal before anything began, which says so. */
    private static final class Draining extends Exception {
        private static final long serialVersionUID = 1L;
    }

    /** A failure with rows read already. */
    private static final class CutStream extends Exception {
        private static final long serialVersionUID = 1L;

        CutStream(Throwable cause) {
            super(cause);
        }
    }

    private final Bench.Target target;
    private final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
    private final AtomicInteger finished = new AtomicInteger();
    private final AtomicInteger draining = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private final AtomicInteger cut = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();
    private final AtomicLong killedAt = new AtomicLong();
    private final AtomicInteger errorsSinceKill = new AtomicInteger();
    private final AtomicLong lastErrorMillis = new AtomicLong();
    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean over;

    RollingLoad(Bench.Target target) {
        this.target = target;
        for (int i = 0; i < CLIENTS; i++) {
            boolean http = i % 2 == 0;
            int first = i;
            clients.execute(() -> loop(http, first));
        }
    }

    static void printHead() {
        System.out.printf(
                Locale.ROOT, "%-20s %9s %9s %9s %9s %9s%n", "", "finished", "draining", "lost", "cut", "wrong");
    }

    /** Runs a phase and prints what became of the queries that ended in it. */
    void phase(String name, Phase phase) throws Exception {
        List<AtomicInteger> counts = List.of(finished, draining, lost, cut, wrong);
        int[] before = counts.stream().mapToInt(AtomicInteger::get).toArray();
        phase.run();
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-20s", name));
        for (int i = 0; i < before.length; i++) {
            line.append(String.format(Locale.ROOT, " %9d", counts.get(i).get() - before[i]));
        }
        System.out.println(line);
    }

    void killedNow() {
        killedAt.set(System.nanoTime());
    }

    int errorsSinceKill() {
        return errorsSinceKill.get();
    }

    long lastErrorMillis() {
        return lastErrorMillis.get();
    }

    /** The first of the failures that were no refusals, in words. */
    List<String> complaints() {
        return List.copyOf(complaints);
    }

    private void loop(boolean http, int first) {
        for (int turn = first; !over; ) {
            try (Connection connection = http ? new OverHttp() : new OverFlight()) {
                for (; !over; turn++) {
                    ask(connection, ROWS[turn % ROWS.length]);
                }
            } catch (Draining moved) {
                draining.incrementAndGet();
            } catch (CutStream e) {
                failed(cut, http, e);
            } catch (Exception e) {
                if (!over) {
                    failed(lost, http, e);
                }
            }
        }
    }

    private void ask(Connection connection, int rows) throws Exception {
        if (connection.read(rows) == rows) {
            finished.incrementAndGet();
        } else {
            failed(wrong, false, new IllegalStateException("another number of rows than " + rows));
        }
    }

    private void failed(AtomicInteger kind, boolean http, Throwable why) {
        kind.incrementAndGet();
        long killed = killedAt.get();
        if (killed != 0) {
            errorsSinceKill.incrementAndGet();
            lastErrorMillis.set(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
        } else if (complaints.size() < 10) {
            complaints.add((http ? "HTTP: " : "Flight SQL: ") + why);
        }
    }

    private static String sql(int rows) {
        return "select i, 'a text for each row ' || i as t from range(" + rows + ") r(i)";
    }

    private final class OverHttp implements Connection {

        private final HttpClient http;

        OverHttp() throws Exception {
            this.http = Clients.http(target);
        }

        @Override
        public long read(int rows) throws Exception {
            HttpResponse<java.io.InputStream> answer = http.send(
                    Clients.query(target, sql(rows))
                            .header("Accept", "text/csv")
                            .timeout(PATIENCE)
                            .build(),
                    BodyHandlers.ofInputStream());
            try (BufferedReader body =
                    new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8))) {
                if (answer.statusCode() != 200) {
                    throw refusal(body);
                }
                // The line of the names is no row.
                return count(body) - 1;
            }
        }

        private long count(BufferedReader body) throws CutStream {
            try (Stream<String> lines = body.lines()) {
                return lines.count();
            } catch (RuntimeException e) {
                throw new CutStream(e);
            }
        }

        private Exception refusal(BufferedReader body) throws IOException {
            String problem = body.readLine();
            return problem != null && problem.contains("\"DRAINING\"") ? new Draining() : new IOException(problem);
        }

        @Override
        public void close() {
            // This client's connections go when it is collected.
        }
    }

    private final class OverFlight implements Connection {

        private final Clients.Flight flight;

        OverFlight() throws IOException {
            this.flight = Clients.flight(target, target.flightPort());
        }

        @Override
        public long read(int rows) throws Exception {
            long seen = 0;
            try (FlightStream stream = flight.client().getStream(Clients.ticket(sql(rows)), flight.credentials())) {
                while (stream.next()) {
                    seen += stream.getRoot().getRowCount();
                }
                return seen;
            } catch (FlightRuntimeException e) {
                if (seen > 0) {
                    throw new CutStream(e);
                }
                boolean refused = e.status().code() == FlightStatusCode.UNAVAILABLE
                        && String.valueOf(e.getMessage()).contains("shutting down");
                throw refused || String.valueOf(e.getMessage()).contains("drain") ? new Draining() : e;
            }
        }

        @Override
        public void close() throws InterruptedException {
            flight.close();
        }
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        clients.shutdown();
        if (!clients.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IllegalStateException("Clients do not end");
        }
    }
}
