package dev.weir.bench;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.auth.tls.TlsMaterial;
import dev.weir.auth.tls.TlsSettings;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryEngine;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.flight.BackpressureStrategy;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.impl.FlightSql.CommandStatementQuery;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;

/**
 * What stands behind a relay: one DuckDB, served once to gateways as a worker, once by a plain Flight server to the bare
 * relay, both with the same certificate.
 *
 * <p>Arguments: port of the worker, port of the Flight server, data directory with the certificate, directory to work in,
 * file of the secret, database.
 */
public final class RelayWorker {

    private static final long MEMORY = 2L << 30;
    private static final int SLOTS = 32;
    private static final int MAX_ENGINE_THREADS = 64;

    private RelayWorker() {}

    public static void main(String[] args) throws Exception {
        Path dataDir = Path.of(args[2]);
        Path tls = dataDir.resolve("tls");
        QueryEngine engine = DuckDbEngine.open(settings(Path.of(args[5]), Path.of(args[3])));
        TlsMaterial material = TlsMaterial.open(new TlsSettings(dataDir, null, null, null), Clock.systemUTC());
        WorkerServer worker = new WorkerServer(
                engine,
                new WorkerSettings(
                        "bench",
                        "127.0.0.1",
                        Integer.parseInt(args[0]),
                        material.keyManager(),
                        Files.readAllBytes(Path.of(args[4])),
                        SLOTS,
                        MEMORY,
                        WorkerSettings.DEFAULT_WINDOW_BYTES,
                        WorkerSettings.DEFAULT_HEARTBEAT_TIMEOUT,
                        "none",
                        () -> 0));
        worker.start();
        BufferAllocator allocator = new RootAllocator();
        FlightServer flight = FlightServer.builder(
                        allocator, Location.forGrpcTls("127.0.0.1", Integer.parseInt(args[1])), new Plain(engine))
                .useTls(tls.resolve("cert.pem").toFile(), tls.resolve("key.pem").toFile())
                .build()
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            worker.close();
            flight.shutdown();
            engine.close();
        }));
        System.out.println("ready");
        Thread.currentThread().join();
    }

    static DuckDbSettings settings(@Nullable Path database, Path directory) {
        return new DuckDbSettings(
                database,
                database != null,
                directory,
                List.of(),
                Map.of(),
                List.of(),
                MEMORY,
                MEMORY,
                Runtime.getRuntime().availableProcessors(),
                MAX_ENGINE_THREADS);
    }

    /** Runs the statement of a ticket and sends its batches, as the documentation of Flight does it. */
    private static final class Plain extends NoOpFlightProducer {

        private final QueryEngine engine;
        private final AtomicLong ids = new AtomicLong();
        private final ExecutorService threads = Executors.newCachedThreadPool();

        Plain(QueryEngine engine) {
            this.engine = engine;
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            BackpressureStrategy room = new BackpressureStrategy.CallbackBackpressureStrategy();
            room.register(listener);
            threads.execute(() -> {
                try (ArrowResult result = engine.execute(EngineQuery.read("p" + ids.incrementAndGet(), sql(ticket)))
                        .result()
                        .toCompletableFuture()
                        .join()) {
                    send(result, room, listener);
                } catch (RuntimeException | InvalidProtocolBufferException e) {
                    listener.error(CallStatus.INTERNAL.withCause(e).toRuntimeException());
                }
            });
        }

        private static void send(ArrowResult result, BackpressureStrategy room, ServerStreamListener listener) {
            boolean more = result.next().toCompletableFuture().join();
            listener.start(result.root(), result.dictionaries());
            while (more && room.waitForListener(0) == BackpressureStrategy.WaitResult.READY) {
                listener.putNext();
                more = result.next().toCompletableFuture().join();
            }
            listener.completed();
        }

        private static String sql(Ticket ticket) throws InvalidProtocolBufferException {
            return Any.parseFrom(ticket.getBytes())
                    .unpack(CommandStatementQuery.class)
                    .getQuery();
        }
    }
}
