package dev.weir.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightDescriptor;
import org.apache.arrow.flight.FlightEndpoint;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;

/**
 * Reads one result from several servers in turns, and prints the rate of each and the processor time that its process
 * took for a GB, with the ratio to another of them: the medians of the turns' ratios.
 */
final class Streams {

    private static final int WARM_UP = 5;

    /**
     * @param uri grpc://host:port or grpc+tls://host:port
     * @param pid whose processor time counts
     * @param partitions endpoints that are read at once; 0 for a plain ticket, the statement, of a bare server
     * @param base the place of the server that this one is compared with
     */
    private record Server(String name, URI uri, long pid, int partitions, int base) {

        /** {@code name;uri;pid;partitions;base}. */
        static Server parse(String text) {
            String[] parts = text.split(";");
            return new Server(
                    parts[0],
                    URI.create(parts[1]),
                    Long.parseLong(parts[2]),
                    Integer.parseInt(parts[3]),
                    Integer.parseInt(parts[4]));
        }
    }

    /** One read. */
    private record Turn(long bytes, double seconds, double cpuSeconds) {

        double rate() {
            return bytes / seconds;
        }

        double cpuPerByte() {
            return cpuSeconds / bytes;
        }
    }

    private final Bench.Target target;
    private final String sql;
    private final List<Server> servers;

    private Streams(Bench.Target target, String sql, List<Server> servers) {
        this.target = target;
        this.sql = sql;
        this.servers = servers;
    }

    static void run(Bench.Target target, String sql, int rounds, List<String> servers) throws Exception {
        new Streams(target, sql, servers.stream().map(Server::parse).toList()).run(rounds);
    }

    private void run(int rounds) throws Exception {
        List<List<Turn>> turns = new ArrayList<>();
        servers.forEach(server -> turns.add(new ArrayList<>()));
        for (int round = -WARM_UP; round < rounds; round++) {
            for (int i = 0; i < servers.size(); i++) {
                Turn turn = read(servers.get(i));
                if (round >= 0) {
                    turns.get(i).add(turn);
                }
            }
        }
        System.out.printf(Locale.ROOT, "%-34s %10s %10s %10s %10s%n", "", "MB/s", "CPU s/GB", "rate to", "CPU to");
        for (int i = 0; i < servers.size(); i++) {
            List<Turn> mine = turns.get(i);
            List<Turn> base = turns.get(servers.get(i).base());
            double[] rates = new double[rounds];
            double[] cpus = new double[rounds];
            for (int round = 0; round < rounds; round++) {
                rates[round] = mine.get(round).rate() / base.get(round).rate();
                cpus[round] = mine.get(round).cpuPerByte() / base.get(round).cpuPerByte();
            }
            System.out.printf(
                    Locale.ROOT,
                    "%-34s %10.0f %10.2f %10.2f %10.2f%n",
                    servers.get(i).name(),
                    median(mine.stream().mapToDouble(Turn::rate).toArray()) / 1e6,
                    median(mine.stream().mapToDouble(Turn::cpuPerByte).toArray()) * 1e9,
                    median(rates),
                    median(cpus));
        }
    }

    private Turn read(Server server) throws Exception {
        try (BufferAllocator allocator = new RootAllocator();
                FlightClient client = client(server, allocator)) {
            List<Ticket> tickets = tickets(server, client);
            double cpu = cpuSeconds(server.pid());
            long start = System.nanoTime();
            long bytes = tickets.size() == 1 ? drain(client, tickets.get(0)) : drainAll(client, tickets);
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Turn(bytes, seconds, cpuSeconds(server.pid()) - cpu);
        }
    }

    private FlightClient client(Server server, BufferAllocator allocator) throws IOException {
        boolean tls = server.uri().getScheme().equals("grpc+tls");
        String host = server.uri().getHost();
        int port = server.uri().getPort();
        FlightClient.Builder builder = FlightClient.builder(
                allocator, tls ? Location.forGrpcTls(host, port) : Location.forGrpcInsecure(host, port));
        if (!tls) {
            return builder.build();
        }
        try (InputStream certificate = Files.newInputStream(target.certificate())) {
            return builder.trustedCertificates(certificate).build();
        }
    }

    private CallOption headers(int partitions) {
        CallHeaders headers = new FlightCallHeaders();
        headers.insert("authorization", Clients.basic(target));
        if (partitions > 1) {
            headers.insert("weir-partitions", Integer.toString(partitions));
        }
        return new HeaderCallOption(headers);
    }

    /** For one stream the command itself, so that both servers have one call to answer. */
    private List<Ticket> tickets(Server server, FlightClient client) {
        if (server.partitions() == 0) {
            return List.of(new Ticket(sql.getBytes(StandardCharsets.UTF_8)));
        }
        Ticket command = Clients.ticket(sql);
        if (server.partitions() == 1) {
            return List.of(command);
        }
        return client
                .getInfo(FlightDescriptor.command(command.getBytes()), headers(server.partitions()))
                .getEndpoints()
                .stream()
                .map(FlightEndpoint::getTicket)
                .toList();
    }

    private long drainAll(FlightClient client, List<Ticket> tickets) throws Exception {
        ExecutorService readers = Executors.newFixedThreadPool(tickets.size());
        try {
            List<Future<Long>> parts = new ArrayList<>();
            for (Ticket ticket : tickets) {
                parts.add(readers.submit(() -> drain(client, ticket)));
            }
            long bytes = 0;
            for (Future<Long> part : parts) {
                bytes += part.get();
            }
            return bytes;
        } finally {
            readers.shutdownNow();
        }
    }

    private long drain(FlightClient client, Ticket ticket) throws Exception {
        long bytes = 0;
        try (FlightStream stream = client.getStream(ticket, headers(1))) {
            while (stream.next()) {
                try (ArrowRecordBatch batch = new VectorUnloader(stream.getRoot()).getRecordBatch()) {
                    bytes += batch.computeBodyLength();
                }
            }
        }
        return bytes;
    }

    /** User and system time of a process, its threads included; Linux counts it in hundredths of a second. */
    private static double cpuSeconds(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / 100.0;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
