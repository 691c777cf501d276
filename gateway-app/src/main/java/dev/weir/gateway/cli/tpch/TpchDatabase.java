package dev.weir.gateway.cli.tpch;

import com.google.errorprone.annotations.Var;
import io.trino.tpch.Distributions;
import io.trino.tpch.TextPool;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.duckdb.DuckDBConnection;

/**
 * Makes a DuckDB file with the eight TPC-H tables. The same scale gives the same rows in the same order.
 *
 * <p>The file appears under its name only when it is complete and its row counts were checked. It is built under a
 * temporary name beside it, which is deleted when the work fails or the process is told to end; what a killed process
 * left is deleted by the next run. Needs about 400 MB of heap (the pool that comments are cut from has 300 MB).
 */
public final class TpchDatabase {

    /** Smallest and largest scale that the generator is tried with. */
    public static final double MIN_SCALE = 0.01;

    public static final double MAX_SCALE = 100;

    /** The TPC-H standard's own pool: another size would give other comments. */
    private static final int TEXT_POOL_BYTES = 300 * 1024 * 1024;

    /** Bytes on disk per scale; 306 MB measured, rounded up. */
    private static final long FILE_BYTES_PER_SCALE = 350_000_000L;

    /** Rows of lineitem at the scales that the specification gives (4.2.5.1), to check the generator against. */
    private static final Map<Double, Long> LINEITEM_ROWS =
            Map.of(0.01, 60_175L, 0.1, 600_572L, 1.0, 6_001_215L, 10.0, 59_986_052L, 100.0, 600_037_902L);

    private static final String STREAM = "weir_tpch_rows";

    private final double scale;
    private final Path file;
    private final int producers;
    private final TpchProgress progress;

    private TpchDatabase(double scale, Path file, int producers, TpchProgress progress) {
        this.scale = scale;
        this.file = file;
        this.producers = producers;
        this.progress = progress;
    }

    /**
     * Makes the file.
     *
     * @param scale from {@link #MIN_SCALE} to {@link #MAX_SCALE}; 1 is about 1 GB of text, 0.3 GB on disk
     * @param file to make; its directory must exist
     * @param replace whether a file of that name is replaced
     * @throws TpchException when it cannot be made; nothing is left behind
     */
    public static void create(double scale, Path file, boolean replace, TpchProgress progress) throws TpchException {
        if (!(scale >= MIN_SCALE && scale <= MAX_SCALE)) {
            throw new TpchException("the scale must be from " + MIN_SCALE + " to 100, not " + scale);
        }
        int producers = Math.max(1, Runtime.getRuntime().availableProcessors());
        Path absolute = file.toAbsolutePath().normalize();
        new TpchDatabase(scale, absolute, producers, progress).create(replace);
    }

    private void create(boolean replace) throws TpchException {
        try (TemporaryDatabase temporary = TemporaryDatabase.beside(file, replace)) {
            temporary.requireSpace((long) (scale * FILE_BYTES_PER_SCALE));
            fill(temporary.path());
            temporary.publish();
        } catch (IOException e) {
            throw new TpchException("cannot write " + file + ": " + reason(e), e);
        } catch (SQLException e) {
            throw new TpchException(describe(e), e);
        } catch (OutOfMemoryError e) {
            throw new TpchException(
                    "not enough memory: TPC-H data needs about 400 MB of heap; set WEIR_JAVA_OPTS=-Xmx640m", e);
        }
    }

    private static String reason(IOException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "");
        return message.isEmpty() ? e.getClass().getSimpleName() : message;
    }

    private String describe(SQLException e) {
        String message = Objects.requireNonNullElse(e.getMessage(), "")
                .lines()
                .findFirst()
                .orElse("");
        if (message.contains("No space left on device")) {
            return "the disk of " + file.getParent() + " is full; nothing was kept";
        }
        return "the database could not be written: " + message;
    }

    private void fill(Path path) throws SQLException, TpchException, IOException {
        ExecutorService pool = Executors.newFixedThreadPool(producers, producerThreads());
        try (BufferAllocator allocator = new RootAllocator();
                DuckDBConnection connection = open(path)) {
            progress.preparing();
            TextPool texts = new TextPool(TEXT_POOL_BYTES, Distributions.getDefaultDistributions());
            for (TableSource<?> source : TableSource.all(scale, texts)) {
                long rows = load(source, connection, allocator, pool);
                check(source, connection, rows);
                progress.tableDone(source.name(), rows);
            }
            try (Statement statement = connection.createStatement()) {
                statement.execute("CHECKPOINT");
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private static java.util.concurrent.ThreadFactory producerThreads() {
        AtomicInteger number = new AtomicInteger();
        return work -> {
            Thread thread = new Thread(work, "weir-tpch-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    private static DuckDBConnection open(Path path) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("autoinstall_known_extensions", "false");
        properties.setProperty("autoload_known_extensions", "false");
        properties.setProperty("memory_limit", memoryLimitMegabytes() + "MB");
        return (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + path, properties);
    }

    /** A quarter of the machine or container, between 256 MB and 4 GB: loading needs little. */
    private static long memoryLimitMegabytes() {
        @Var long total = 4L << 30;
        if (java.lang.management.ManagementFactory.getOperatingSystemMXBean()
                instanceof com.sun.management.OperatingSystemMXBean system) {
            total = system.getTotalMemorySize();
        }
        return Math.min(4096, Math.max(256, (total >> 20) / 4));
    }

    private long load(
            TableSource<?> source, DuckDBConnection connection, BufferAllocator allocator, ExecutorService pool)
            throws SQLException, IOException {
        try (GeneratedTableReader<?> reader =
                        new GeneratedTableReader<>(source, allocator, pool, producers + 1, progress);
                ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator);
                Statement statement = connection.createStatement()) {
            statement.execute(source.createStatement());
            Data.exportArrayStream(allocator, reader, stream);
            connection.registerArrowStream(STREAM, stream);
            try {
                statement.execute("INSERT INTO " + source.name() + " SELECT * FROM " + STREAM);
            } catch (SQLException e) {
                if (reader.failure() instanceof OutOfMemoryError error) {
                    throw error;
                }
                throw e;
            }
            statement.execute("DROP VIEW " + STREAM);
            return reader.rows();
        }
    }

    private void check(TableSource<?> source, DuckDBConnection connection, long generated)
            throws SQLException, TpchException {
        @Var long stored = -1;
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT count(*) FROM " + source.name())) {
            if (result.next()) {
                stored = result.getLong(1);
            }
        }
        boolean lineitem = source.name().equals("lineitem");
        long expected = lineitem ? LINEITEM_ROWS.getOrDefault(scale, generated) : source.expectedRows();
        if (stored != generated || stored != expected) {
            throw new TpchException("table " + source.name() + " has " + stored + " rows, generated were " + generated
                    + ", expected " + expected);
        }
    }
}
