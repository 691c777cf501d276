package dev.weir.gateway.cli.query;

import dev.weir.gateway.http.ResultWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.CallHeaders;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.CallOptions;
import org.apache.arrow.flight.CallStatus;
import org.apache.arrow.flight.CancelFlightInfoRequest;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightClientMiddleware;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.auth2.BasicAuthCredentialWriter;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** One query over Flight SQL. Its batches are written here as the gateway would write them over HTTP. */
public final class FlightQueryClient implements QueryClient {

    /** What a statement without rows gives; no other result's column excludes nulls. */
    private static final Schema COUNT = new Schema(List.of(Field.notNullable("Count", new ArrowType.Int(64, true))));

    private static final String QUERY_ID = "x-weir-query-id";
    private static final long CONTROL_SECONDS = 3;

    private final Target target;
    private final CallOption credentials;
    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient client;
    private volatile @Nullable FlightInfo info;
    private volatile @Nullable FlightStream open;
    private volatile @Nullable String queryId;
    private volatile @Nullable String reason;

    /**
     * @param ca PEM file with the certificates to trust; null for those that Java trusts
     * @param insecure whether the certificate is not checked
     * @throws QueryFailure when the file cannot be read
     */
    public FlightQueryClient(Target target, String user, String password, @Nullable Path ca, boolean insecure)
            throws QueryFailure {
        this.target = target;
        this.credentials = new CredentialCallOption(new BasicAuthCredentialWriter(user, password));
        try {
            this.client = connect(ca, insecure);
        } catch (IOException e) {
            allocator.close();
            throw new QueryFailure("cannot read the certificates in " + ca + ": " + e.getMessage(), e);
        }
    }

    private FlightClient connect(@Nullable Path ca, boolean insecure) throws IOException, QueryFailure {
        int port = target.port();
        FlightClient.Builder builder =
                FlightClient.builder().allocator(allocator).intercept(call -> new QueryIds());
        if (!target.isEncrypted()) {
            return builder.location(Location.forGrpcInsecure(target.host(), port))
                    .build();
        }
        builder.location(Location.forGrpcTls(target.host(), port));
        if (insecure) {
            return builder.verifyServer(false).build();
        }
        if (ca == null) {
            return builder.build();
        }
        // Says what is wrong with the file.
        var unused = ClientTls.trusting(ca);
        try (InputStream certificates = Files.newInputStream(ca)) {
            return builder.trustedCertificates(certificates).build();
        }
    }

    /** Keeps the query's id, which comes with the headers of an answer. */
    private final class QueryIds implements FlightClientMiddleware {
        @Override
        public void onBeforeSendingHeaders(CallHeaders headers) {}

        @Override
        public void onHeadersReceived(CallHeaders headers) {
            String id = headers.get(QUERY_ID);
            queryId = id == null ? queryId : id;
        }

        @Override
        public void onCallCompleted(CallStatus status) {}
    }

    @Override
    public InputStream run(Query query) throws QueryFailure {
        CallHeaders headers = new FlightCallHeaders();
        headers.insert("weir-partitions", "1");
        if (query.timeout() != null) {
            headers.insert("weir-timeout", query.timeout().toMillis() + "ms");
        }
        CallOption[] options = {credentials, new HeaderCallOption(headers)};
        FlightStream stream = null;
        try {
            FlightInfo found = info(query, options);
            info = found;
            stream = client.getStream(found.getEndpoints().get(0).getTicket(), options);
            open = stream;
            // The first rows: a query that is refused is so before them.
            boolean more = stream.next();
            String id = queryId == null ? "" : queryId;
            Schema schema = stream.getSchema();
            ResultWriter writer =
                    new ResultWriter(query.accept(), id, schema, stream.getDictionaryProvider(), schema.equals(COUNT));
            return new FlightResult(stream, writer, more, failure -> reason = FlightProblem.reason(failure));
        } catch (FlightRuntimeException e) {
            close(stream);
            throw FlightProblem.toFailure(e, query.sql(), target);
        }
    }

    private FlightInfo info(Query query, CallOption[] options) {
        FlightSqlClient sql = new FlightSqlClient(client);
        if (query.parameters().isEmpty()) {
            return sql.execute(query.sql(), options);
        }
        FlightSqlClient.PreparedStatement prepared = sql.prepare(query.sql(), options);
        try (VectorSchemaRoot values = FlightParameters.root(query.parameters(), allocator)) {
            prepared.setParameters(values);
            return prepared.execute(options);
        } finally {
            // The ticket has all that it needs. Its own close would ask without credentials.
            prepared.close(options);
        }
    }

    @Override
    public @Nullable String reasonOfFailure() {
        return reason;
    }

    @Override
    public void cancel() {
        FlightInfo running = info;
        FlightStream stream = open;
        if (running == null) {
            // The end of this process closes the connection, which cancels what is under way.
            return;
        }
        try {
            var unused = client.cancelFlightInfo(
                    new CancelFlightInfoRequest(running),
                    credentials,
                    CallOptions.timeout(CONTROL_SECONDS, TimeUnit.SECONDS));
        } catch (RuntimeException e) {
            if (stream != null) {
                stream.cancel("the client was interrupted", null);
            }
        }
    }

    private static void close(@Nullable FlightStream stream) {
        try {
            if (stream != null) {
                stream.close();
            }
        } catch (Exception e) {
            // It failed before; that is what is told.
        }
    }

    @Override
    public void close() {
        try {
            client.close();
            allocator.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
