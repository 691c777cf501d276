package dev.weir.bench;

import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/** Reads one result as Arrow and prints its bytes; with a pause after each batch or MiB, when one is asked for. */
final class Throughput {

    private static final int CHUNK = 1 << 20;

    private Throughput() {}

    static void http(Bench.Target target, String sql, long pauseMillis) throws Exception {
        HttpClient client = Clients.http(target);
        HttpRequest request = Clients.query(target, sql)
                .header("Accept", "application/vnd.apache.arrow.stream")
                .build();
        HttpResponse<InputStream> response = client.send(request, BodyHandlers.ofInputStream());
        long bytes = 0;
        try (InputStream in = response.body()) {
            if (response.statusCode() != 200) {
                throw new IllegalStateException(new String(in.readAllBytes()));
            }
            byte[] chunk = new byte[CHUNK];
            for (int read = in.readNBytes(chunk, 0, CHUNK); read > 0; read = in.readNBytes(chunk, 0, CHUNK)) {
                bytes += read;
                pause(pauseMillis);
            }
        }
        System.out.println(bytes);
    }

    static void flight(Bench.Target target, String sql, long pauseMillis) throws Exception {
        long bytes = 0;
        try (Clients.Flight flight = Clients.flight(target, target.flightPort());
                FlightStream stream = flight.client().getStream(Clients.ticket(sql), flight.credentials())) {
            while (stream.next()) {
                try (ArrowRecordBatch batch = new VectorUnloader(stream.getRoot()).getRecordBatch()) {
                    bytes += batch.computeBodyLength();
                }
                pause(pauseMillis);
            }
        }
        System.out.println(bytes);
    }

    private static void pause(long millis) throws InterruptedException {
        if (millis > 0) {
            Thread.sleep(millis);
        }
    }
}
