package dev.weir.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Entry point of the client side: {@code latency}, {@code relay-latency}, {@code http}, {@code flight},
 * {@code contention}, {@code slow-readers}, {@code ingest}, {@code streams}, with servers that it starts itself {@code hogs} and {@code rolling}, and without
 * one {@code drain}, {@code select1} and {@code decisions}; see the scripts in bench/.
 */
public final class Bench {

    private Bench() {}

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "latency" -> Latency.run(Target.of(args), Integer.parseInt(args[6]));
            case "relay-latency" -> Latency.relay(Target.of(args), Integer.parseInt(args[6]));
            case "contention" ->
                Contention.run(
                        Target.of(args),
                        Path.of(args[6]),
                        Integer.parseInt(args[7]),
                        Integer.parseInt(args[8]),
                        Integer.parseInt(args[9]));
            case "slow-readers" ->
                SlowReaders.run(Target.of(args), Integer.parseInt(args[6]), Integer.parseInt(args[7]));
            case "hogs" ->
                Hogs.run(
                        Target.of(args),
                        Integer.parseInt(args[6]),
                        Integer.parseInt(args[7]),
                        Path.of(args[8]),
                        Path.of(args[9]),
                        Path.of(args[10]));
            case "http" -> Throughput.http(Target.of(args), args[6], Long.parseLong(args[7]));
            case "flight" -> Throughput.flight(Target.of(args), args[6], Long.parseLong(args[7]));
            case "rolling" ->
                Rolling.run(
                        Target.of(args),
                        List.of(args).subList(6, 10).stream()
                                .map(Integer::valueOf)
                                .toList(),
                        Path.of(args[10]));
            case "streams" ->
                Streams.run(
                        Target.of(args),
                        args[6],
                        Integer.parseInt(args[7]),
                        List.of(args).subList(8, args.length));
            case "ingest" ->
                IngestRates.run(
                        Target.of(args),
                        Path.of(args[6]),
                        Path.of(args[7]),
                        Long.parseLong(args[8]),
                        Integer.parseInt(args[9]));
            case "compression" ->
                CompressionCost.run(Path.of(args[1]), Long.parseLong(args[2]), Integer.parseInt(args[3]));
            case "drain" -> Drain.run(Path.of(args[1]), args[2], Integer.parseInt(args[3]), args[4].equals("busy"));
            case "decisions" -> Decisions.run(Integer.parseInt(args[1]));
            case "select1" -> Drain.selectOne(Path.of(args[1]), Integer.parseInt(args[2]));
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Where the server is, and whom it believes. */
    record Target(int httpPort, int flightPort, int barePort, Path certificate, String user, String password) {

        /** The same server, by another user with the same password. */
        Target as(String other) {
            return new Target(httpPort, flightPort, barePort, certificate, other, password);
        }

        static Target of(String[] args) {
            return new Target(
                    Integer.parseInt(args[1]),
                    Integer.parseInt(args[2]),
                    Integer.parseInt(args[3]),
                    Path.of(args[4]),
                    args[5].substring(0, args[5].indexOf(':')),
                    args[5].substring(args[5].indexOf(':') + 1));
        }
    }

    static void print(String name, Object... values) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "%-34s", name));
        for (Object value : values) {
            line.append(
                    value instanceof Double number
                            ? String.format(Locale.ROOT, " %10.3f", number)
                            : String.format(Locale.ROOT, " %10s", value));
        }
        System.out.println(line);
    }
}
