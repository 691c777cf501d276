package dev.weir.bench;

import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.apache.arrow.flight.CallInfo;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.FlightServer;
import org.apache.arrow.flight.FlightServerMiddleware;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.NoOpFlightProducer;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.flight.RequestContext;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A Flight server that authenticates like the gateway, answers one row, the same for every ticket, and loads what is put
 * into a database of its own.
 */
final class BareFlightServer implements AutoCloseable {

    private static final Schema SCHEMA = new Schema(List.of(Field.nullable("1", new ArrowType.Int(32, true))));

    private final BufferAllocator allocator;
    private final FlightServer server;

    private BareFlightServer(BufferAllocator allocator, FlightServer server) {
        this.allocator = allocator;
        this.server = server;
    }

    static BareFlightServer start(int port, Path dataDir, Authenticator authenticator) throws IOException {
        BareIngest ingest;
        try {
            ingest = BareIngest.open(dataDir.resolve("bare.duckdb"));
        } catch (SQLException e) {
            throw new IOException(e);
        }
        BufferAllocator allocator = new RootAllocator();
        Path tls = dataDir.resolve("tls");
        FlightServer server = FlightServer.builder(
                        allocator, Location.forGrpcTls("0.0.0.0", port), new Constant(allocator, ingest))
                .useTls(tls.resolve("cert.pem").toFile(), tls.resolve("key.pem").toFile())
                .middleware(
                        FlightServerMiddleware.Key.of("auth"),
                        (info, headers, context) -> authenticate(
                                authenticator, Objects.requireNonNull(headers.get("authorization")), info, context))
                .build()
                .start();
        return new BareFlightServer(allocator, server);
    }

    private static FlightServerMiddleware authenticate(
            Authenticator authenticator, String header, CallInfo info, RequestContext context) {
        String text = new String(
                Base64.getDecoder().decode(header.substring(header.indexOf(' ') + 1)), StandardCharsets.UTF_8);
        int colon = text.indexOf(':');
        context.put(
                "user",
                authenticator
                        .authenticate(new Credentials.Password(text.substring(0, colon), text.substring(colon + 1)))
                        .toCompletableFuture()
                        .join()
                        .user());
        return new FlightServerMiddleware() {
            @Override
            public void onBeforeSendingHeaders(org.apache.arrow.flight.CallHeaders outgoingHeaders) {}

            @Override
            public void onCallCompleted(CallStatus status) {}

            @Override
            public void onCallErrored(Throwable err) {}
        };
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        allocator.close();
    }

    /** One row, and a place for many. */
    private static final class Constant extends NoOpFlightProducer {

        private final BufferAllocator allocator;
        private final BareIngest ingest;

        Constant(BufferAllocator allocator, BareIngest ingest) {
            this.allocator = allocator;
            this.ingest = ingest;
        }

        @Override
        public Runnable acceptPut(CallContext context, FlightStream stream, StreamListener<PutResult> client) {
            return () -> {
                try {
                    ingest.put(stream, allocator, client);
                } catch (Exception e) {
                    client.onError(CallStatus.INTERNAL.withCause(e).toRuntimeException());
                }
            };
        }

        @Override
        public void getStream(CallContext context, Ticket ticket, ServerStreamListener listener) {
            try (VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator)) {
                ((IntVector) root.getVector(0)).setSafe(0, 1);
                root.setRowCount(1);
                listener.start(root);
                listener.putNext();
                listener.completed();
            }
        }
    }
}
