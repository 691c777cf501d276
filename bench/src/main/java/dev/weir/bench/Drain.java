package dev.weir.bench;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/** The same work done by DuckDB's driver in this process, without a gateway: what there is to compare with. */
final class Drain {

    private static final int BATCH_ROWS = 32_768;

    /** About what a client and the network take between two queries of the latency figures. */
    private static final int PAUSE_NANOS = 500_000;

    private Drain() {}

    /**
     * Prints bytes, CPU seconds and wall seconds of the median of the last half of several runs.
     *
     * @param busy whether another thread keeps one core busy meanwhile, as a client on the same machine does; its own CPU
     *     time is not counted
     */
    static void run(Path database, String sql, int runs, boolean busy) throws Exception {
        Thread burner = new Thread(Drain::burn);
        burner.setDaemon(true);
        if (busy) {
            burner.start();
        }
        long bytes = 0;
        double[][] figures = new double[runs][];
        try (BufferAllocator allocator = new RootAllocator();
                var connection = open(database)) {
            for (int run = 0; run < runs; run++) {
                long cpuStart = cpuNanos() - cpuNanos(burner);
                long start = System.nanoTime();
                bytes = drain(connection, sql, allocator);
                figures[run] = new double[] {
                    (cpuNanos() - cpuNanos(burner) - cpuStart) / 1e9, (System.nanoTime() - start) / 1e9
                };
            }
        }
        double[][] last = Arrays.copyOfRange(figures, runs / 2, runs);
        Arrays.sort(last, (a, b) -> Double.compare(a[0], b[0]));
        System.out.println(bytes + " " + last[last.length / 2][0] + " " + last[last.length / 2][1]);
    }

    private static long drain(DuckDBConnection connection, String sql, BufferAllocator allocator) throws Exception {
        long bytes = 0;
        try (Statement statement = connection.createStatement();
                DuckDBResultSet result = (DuckDBResultSet) statement.executeQuery(sql);
                ArrowReader reader = (ArrowReader) result.arrowExportStream(allocator, BATCH_ROWS)) {
            while (reader.loadNextBatch()) {
                try (ArrowRecordBatch batch = new VectorUnloader(reader.getVectorSchemaRoot()).getRecordBatch()) {
                    bytes += batch.computeBodyLength();
                }
            }
        }
        return bytes;
    }

    /**
     * Prints p50 and p99, in milliseconds, of SELECT 1 with varied texts as the gateway has it run: on a connection of its
     * own and on another thread. Once without pauses, once with the pauses that a client's round trips make.
     */
    static void selectOne(Path database, int calls) throws Exception {
        ExecutorService engine = Executors.newSingleThreadExecutor();
        try (BufferAllocator allocator = new RootAllocator();
                var root = open(database)) {
            for (int pause : new int[] {0, PAUSE_NANOS}) {
                double[] times = new double[calls];
                for (int i = -calls / 2; i < calls; i++) {
                    if (pause > 0) {
                        Thread.sleep(0, pause);
                    }
                    int number = i;
                    double millis = engine.submit(() -> selectOne(root, allocator, number))
                            .get();
                    if (i >= 0) {
                        times[i] = millis;
                    }
                }
                Arrays.sort(times);
                Bench.print(
                        pause == 0 ? "DuckDB's driver, no pauses" : "DuckDB's driver, pauses of 0.5 ms",
                        times[calls / 2],
                        times[(int) (calls * 0.99)]);
            }
        } finally {
            engine.shutdown();
        }
    }

    private static double selectOne(DuckDBConnection root, BufferAllocator allocator, int number) throws Exception {
        long start = System.nanoTime();
        try (DuckDBConnection connection = (DuckDBConnection) root.duplicate();
                PreparedStatement statement = connection.prepareStatement("select " + number);
                DuckDBResultSet result = (DuckDBResultSet) statement.executeQuery();
                ArrowReader reader = (ArrowReader) result.arrowExportStream(allocator, BATCH_ROWS)) {
            int rows = 0;
            while (reader.loadNextBatch()) {
                rows += reader.getVectorSchemaRoot().getRowCount();
            }
            if (rows != 1) {
                throw new IllegalStateException(rows + " rows");
            }
        }
        return (System.nanoTime() - start) / 1e6;
    }

    private static DuckDBConnection open(Path database) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("duckdb.read_only", "true");
        properties.setProperty("jdbc_stream_results", "true");
        return (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + database, properties);
    }

    private static void burn() {
        while (!Thread.interrupted()) {
            Thread.onSpinWait();
        }
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static long cpuNanos(Thread thread) {
        return Math.max(0, ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId()));
    }
}
