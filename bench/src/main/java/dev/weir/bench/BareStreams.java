package dev.weir.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.arrow.flight.BackpressureStrategy;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.duckdb.DuckDBConnection;
import org.duckdb.DuckDBResultSet;

/**
 * The least that serves a query over Flight: DuckDB's Arrow stream, put on the wire batch by batch as the client takes
 * them. No users, no limits, no cancel. The ticket is the statement.
 *
 * <p>Arguments: database, rows in a batch, port with TLS, port without, certificate, key.
 */
public final class BareStreams {

    private BareStreams() {}

    public static void main(String[] args) throws Exception {
        Properties properties = new Properties();
        properties.setProperty("duckdb.read_only", "true");
        properties.setProperty("jdbc_stream_results", "true");
        DuckDBConnection database =
                (DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + args[0], properties);
        BufferAllocator allocator = new RootAllocator();
        Streaming producer = new Streaming(database, Integer.parseInt(args[1]), allocator);
        FlightServer.builder(allocator, Location.forGrpcTls("127.0.0.1", Integer.parseInt(args[2])), producer)
                .useTls(Path.of(args[4]).toFile(), Path.of(args[5]).toFile())
                .build()
                .start();
        FlightServer.builder(allocator, Location.forGrpcInsecure("127.0.0.1", Integer.parseInt(args[3])), producer)
                .build()
                .start();
        System.out.println("ready");
        Thread.currentThread().join();
    }

    private static final class Streaming extends NoOpFlightProducer {

        /** Longer than any client of a benchmark takes for a batch. */
        private static final long PATIENCE_MILLIS = 60_000;

        private final DuckDBConnection database;
        private final int batchRows;
        private final BufferAllocator allocator;
        private final ExecutorService threads = Executors.newCachedThreadPool();

        Streaming(DuckDBConnection database, int batchRows, BufferAllocator allocator) {
            this.database = database;
            this.batchRows = batchRows;
            this.allocator = allocator;
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            // The thread of the call has to stay free: it tells when the client can take more.
            threads.execute(() -> stream(ticket, listener));
        }

        private void stream(Ticket ticket, ServerStreamListener listener) {
            BackpressureStrategy pressure = new BackpressureStrategy.CallbackBackpressureStrategy();
            pressure.register(listener);
            String sql = new String(ticket.getBytes(), StandardCharsets.UTF_8);
            try (DuckDBConnection connection = (DuckDBConnection) database.duplicate();
                    Statement statement = connection.createStatement();
                    DuckDBResultSet result = (DuckDBResultSet) statement.executeQuery(sql);
                    ArrowReader reader = (ArrowReader) result.arrowExportStream(allocator, batchRows)) {
                listener.start(reader.getVectorSchemaRoot());
                while (reader.loadNextBatch()) {
                    if (pressure.waitForListener(PATIENCE_MILLIS) != BackpressureStrategy.WaitResult.READY) {
                        throw new IllegalStateException("The client does not read");
                    }
                    listener.putNext();
                }
                listener.completed();
            } catch (Exception e) {
                listener.error(CallStatus.INTERNAL
                        .withCause(e)
                        .withDescription(e.toString())
                        .toRuntimeException());
            }
        }
    }
}
