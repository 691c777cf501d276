package dev.weir.bench;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Properties;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.duckdb.DuckDBResultSet;

/** The same result drained in this process, without a gateway: what there is to compare with. */
final class Drain {

    private static final int BATCH_ROWS = 32_768;

    private Drain() {}

    /** Prints bytes, CPU seconds and wall seconds of the last of several runs. */
    static void run(Path database, String sql, int runs) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("duckdb.read_only", "true");
        properties.setProperty("jdbc_stream_results", "true");
        long bytes = 0;
        double cpu = 0;
        double wall = 0;
        try (BufferAllocator allocator = new RootAllocator();
                var connection = DriverManager.getConnection("jdbc:duckdb:" + database, properties)) {
            for (int run = 0; run < runs; run++) {
                long cpuStart = cpuNanos();
                long start = System.nanoTime();
                bytes = 0;
                try (Statement statement = connection.createStatement();
                        DuckDBResultSet result = (DuckDBResultSet) statement.executeQuery(sql);
                        ArrowReader reader = (ArrowReader) result.arrowExportStream(allocator, BATCH_ROWS)) {
                    while (reader.loadNextBatch()) {
                        try (ArrowRecordBatch batch =
                                new VectorUnloader(reader.getVectorSchemaRoot()).getRecordBatch()) {
                            bytes += batch.computeBodyLength();
                        }
                    }
                }
                cpu = (cpuNanos() - cpuStart) / 1e9;
                wall = (System.nanoTime() - start) / 1e9;
            }
        }
        System.out.println(bytes + " " + cpu + " " + wall);
    }

    private static long cpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }
}
