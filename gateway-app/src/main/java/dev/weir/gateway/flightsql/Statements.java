package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Ticker;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.BufferCompression;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import dev.weir.gateway.query.IngestRequest;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryTarget;
import dev.weir.gateway.query.ResultStream;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Statements: described for a ticket, redeemed as a stream, run as an update. Thread-safe; nothing here blocks. */
final class Statements {

    private final FlightSqlBackend backend;
    private final SignedHandles handles;
    private final Places places;
    private final TicketLedger ledger;
    private final ByteBudget parameterBudget;
    private final BufferAllocator allocator;
    private final Clock clock;
    private final FlightSqlSettings settings;

    /** Write tickets name it: the process that issued one alone knows whether it was redeemed. */
    private final String issuer = UUID.randomUUID().toString();

    private final Partitions partitions;
    private final InfoCancels cancels;
    private final Set<QueryExecution> running = ConcurrentHashMap.newKeySet();
    private volatile boolean draining;

    Statements(
            FlightSqlBackend backend,
            SignedHandles handles,
            FlightSqlSettings settings,
            Places places,
            TicketLedger ledger,
            ByteBudget parameterBudget,
            BufferAllocator allocator,
            Clock clock,
            Ticker ticker) {
        this.backend = backend;
        this.handles = handles;
        this.settings = settings;
        this.places = places;
        this.ledger = ledger;
        this.parameterBudget = parameterBudget;
        this.allocator = allocator;
        this.clock = clock;
        this.partitions = new Partitions(this, handles, settings, allocator, clock, ticker);
        this.cancels = new InfoCancels(handles, ledger);
    }

    /** Cancels by the infos that were given. */
    InfoCancels cancels() {
        return cancels;
    }

    /** The results that are read over several endpoints. */
    Partitions partitions() {
        return partitions;
    }

    /**
     * A statement, as a client asks for it.
     *
     * @param parameters bound to it
     * @param transaction id; empty for none
     * @param prepared whether it was prepared in that transaction, and may be run after its end
     */
    record Statement(String sql, ParameterPayload parameters, ByteString transaction, boolean prepared) {

        /** One that comes with its text. */
        static Statement of(String sql, ByteString transaction) {
            return new Statement(sql, ParameterPayload.NONE, transaction, false);
        }
    }

    /** Where it runs, as things are now. */
    Places.Place place(Caller caller, Statement statement) {
        return places.of(caller, statement);
    }

    CompletionStage<Description> describe(Caller caller, Statement statement) {
        return describe(caller, statement.sql(), place(caller, statement));
    }

    /** A client that leaves meanwhile gives it up. */
    CompletionStage<Description> describe(Caller caller, String sql, Places.Place place) {
        CompletionStage<Description> description =
                place.target().describe(caller.identity(), sql, place.settings().settings());
        caller.call()
                .atEnd(() -> description
                        .toCompletableFuture()
                        .completeExceptionally(
                                new GatewayException(GatewayErrorCode.CANCELLED, "The client has left.")));
        return description;
    }

    /** The schema of the statement's stream. */
    CompletionStage<Schema> schema(Caller caller, Statement statement) {
        return describe(caller, statement).thenApply(Statements::streamSchema);
    }

    private static Schema streamSchema(Description description) {
        return description.givesRows() ? description.schema() : ArrowSchemas.COUNT;
    }

    /**
     * Describes the statement and issues a ticket for it. One that gives rows is run when the ticket is redeemed; one
     * that gives none is run now, since some clients rely on it having happened, and its ticket gives the count.
     */
    CompletionStage<Flight.FlightInfo> info(Caller caller, Flight.FlightDescriptor descriptor, Statement statement) {
        StatementTicket.checkSize(statement.parameters());
        Places.Place place = place(caller, statement);
        return describe(caller, statement.sql(), place).thenCompose(description -> {
            if (description.givesRows()) {
                boolean isRead = description.kind().isRead();
                Flight.@Nullable FlightInfo parts = partitions.info(caller, descriptor, statement, place, description);
                if (parts != null) {
                    return CompletableFuture.completedFuture(parts);
                }
                StatementTicket ticket = ticket(caller, statement, place, isRead ? "" : issuer);
                return CompletableFuture.completedFuture(
                        info(caller, descriptor, ticket, infoSchema(statement, description)));
            }
            ParameterPayload parameters = statement.parameters();
            return run(caller, statement, decode(parameters).values(), parameters.size())
                    .thenApply(count -> ofCount(caller, descriptor, count));
        });
    }

    /** The info of a statement without rows that was run; its ticket gives the count, any number of times. */
    Flight.FlightInfo ofCount(Caller caller, Flight.FlightDescriptor descriptor, OptionalLong count) {
        // What was run needs no text any more.
        StatementTicket ticket = new StatementTicket(
                UUID.randomUUID().toString(),
                "",
                "",
                ParameterPayload.NONE,
                SessionSettings.NONE,
                RequestOptions.NONE,
                Places.Ref.NONE,
                new StatementTicket.Outcome(count));
        return info(caller, descriptor, ticket, ArrowSchemas.COUNT);
    }

    /**
     * The schema that the stream will have. Null when it hangs on values whose types the engine could not tell without
     * them: clients then take the stream's, while a wrong one makes some of them refuse the stream.
     */
    static @Nullable Schema infoSchema(Statement statement, Description description) {
        boolean typesAreOpen = !statement.parameters().isEmpty()
                && description.parameters().getFields().stream().anyMatch(ArrowSchemas::isUntyped);
        return typesAreOpen ? null : description.schema();
    }

    private static StatementTicket ticket(Caller caller, Statement statement, Places.Place place, String issuer) {
        FlightSession.Settings session = place.settings();
        return new StatementTicket(
                UUID.randomUUID().toString(),
                issuer,
                statement.sql(),
                statement.parameters(),
                session.settings(),
                caller.options().or(session.options()),
                place.ticket(),
                null);
    }

    private Flight.FlightInfo info(
            Caller caller, Flight.FlightDescriptor descriptor, StatementTicket ticket, @Nullable Schema schema) {
        Flight.FlightEndpoint.Builder endpoint = Flight.FlightEndpoint.newBuilder()
                .setTicket(Flight.Ticket.newBuilder()
                        .setTicket(handles.pack(caller, ticket.encode(), settings.ticketTimeToLive())));
        if (!ticket.isWrite()) {
            // An expiry says that the ticket can be redeemed again until then.
            Instant expiry = clock.instant().plus(settings.ticketTimeToLive());
            endpoint.setExpirationTime(
                    Timestamp.newBuilder().setSeconds(expiry.getEpochSecond()).setNanos(expiry.getNano()));
        }
        return FlightInfos.of(descriptor, schema, endpoint)
                .setAppMetadata(ByteString.copyFromUtf8(ticket.id()))
                .build();
    }

    /** Runs the statement of a ticket, whose signature was checked. */
    void redeem(Caller caller, byte[] payload, ServerStreamListener listener) {
        StatementTicket ticket = StatementTicket.decode(payload);
        StatementTicket.Outcome outcome = ticket.outcome();
        if (outcome != null) {
            pump(caller, ticket.options(), listener)
                    .start(CompletableFuture.completedFuture(new DoneStream(outcome.count())));
            return;
        }
        if (ticket.isWrite() && !ticket.issuer().equals(issuer)) {
            throw new GatewayException(
                    GatewayErrorCode.NOT_FOUND,
                    "The ticket of a statement that writes can be redeemed only at the gateway that issued it, until"
                            + " that restarts; ask for a new one.");
        }
        List<List<@Nullable Object>> rows = decode(ticket.parameters()).values();
        QueryRequest request = new FlightSession.Settings(ticket.settings(), ticket.options())
                .under(caller.options())
                .request(ticket.sql(), rows);
        QueryTarget target = places.of(caller, ticket.place());
        ledger.claim(ticket, caller.user());
        QueryExecution execution;
        try {
            execution = submit(caller, target, request, ticket.parameters().size());
        } catch (RuntimeException e) {
            ledger.unclaim(ticket);
            throw e;
        }
        ledger.started(ticket, execution);
        send(caller, execution, execution.stream(), ticket.options(), listener);
    }

    /** Runs a statement at once, without a ticket. */
    void stream(Caller caller, Statement statement, ServerStreamListener listener) {
        Places.Place place = place(caller, statement);
        QueryRequest request = request(caller, statement, place);
        QueryExecution execution =
                submit(caller, place.target(), request, statement.parameters().size());
        send(caller, execution, execution.stream(), place.settings().options(), listener);
    }

    /**
     * Sends the result of a query that was submitted, or a part of it.
     *
     * @param options under which it was asked for; the call's own come first
     */
    void send(
            Caller caller,
            QueryExecution execution,
            CompletionStage<ResultStream> part,
            RequestOptions options,
            ServerStreamListener listener) {
        pump(caller, options, listener).start(execution, part);
    }

    /**
     * Runs a statement for its count.
     *
     * @return rows changed, or given back by a statement that changes rows; 0 when there is nothing to count, -1 for a
     *     read, whose rows are not looked at
     */
    CompletionStage<Long> update(Caller caller, Statement statement, ParameterDecoder.Rows rows) {
        if (rows.bound() && rows.values().isEmpty()) {
            // A batch of no rows: nothing to do, and not the same as a statement without parameters.
            return CompletableFuture.completedFuture(0L);
        }
        return run(caller, statement, rows.values(), 0).thenApply(count -> count.orElse(0L));
    }

    /** Runs a statement to its committed end and gives what it counts: rows changed, or else given back. */
    private CompletionStage<OptionalLong> run(
            Caller caller, Statement statement, List<List<@Nullable Object>> rows, long parameterBytes) {
        Places.Place place = place(caller, statement);
        QueryRequest request = request(caller, statement.sql(), rows, place);
        QueryExecution execution = submit(caller, place.target(), request, parameterBytes);
        caller.call().atEnd(() -> execution.cancel(goneReason()));
        return execution.stream().thenCompose(stream -> count(execution, stream));
    }

    /** Takes the result of a query for what it counts, and closes it. */
    CompletionStage<OptionalLong> count(QueryExecution execution, ResultStream stream) {
        var kind = execution.snapshot().kind();
        CompletionStage<OptionalLong> rows;
        if (kind != null && kind.isRead()) {
            stream.finishEarly();
            rows = CompletableFuture.completedFuture(OptionalLong.of(-1));
        } else {
            boolean givesRows = !stream.schema().getFields().isEmpty();
            rows = StreamDrain.rowsOf(stream)
                    .thenApply(given -> givesRows && stream.updateCount().isEmpty()
                            ? OptionalLong.of(given)
                            : stream.updateCount());
        }
        return rows.whenComplete((count, failure) -> stream.close())
                .thenCombine(execution.done(), (count, snapshot) -> {
                    // Only now it is known that the change was committed.
                    GatewayException failure = FlightErrors.ofSnapshot(snapshot);
                    if (failure != null) {
                        throw failure;
                    }
                    return count;
                });
    }

    /** Opens a bulk ingest, or joins one as another of its parts. */
    IngestInlet ingest(Caller caller, FlightSql.CommandStatementIngest command) {
        if (!backend.queries().takesIngest()) {
            throw FlightErrors.unimplemented("Bulk ingestion is");
        }
        Places.Place place = places.ofIngest(caller, command.getTransactionId(), command.getTemporary());
        IngestRequest request = IngestCommand.request(
                command, request(caller, "", List.of(), place), caller.call().ingestOptions());
        return place.target().ingest(caller.identity(), request);
    }

    /** Answers a question about the catalog. */
    void metadata(Caller caller, MetadataCommand command, ServerStreamListener listener) {
        CompletionStage<ResultStream> answer = places.ofCatalog(caller).metadata(caller.identity(), command.request());
        new ResultPump(
                        listener,
                        caller.call(),
                        command.shape(allocator),
                        allocator,
                        BufferCompression.NONE,
                        this::goneReason)
                .start(answer);
    }

    /** Decodes parameters; refuses them with the reason when they cannot be bound. */
    ParameterDecoder.Rows decode(ParameterPayload parameters) {
        return ParameterDecoder.decode(parameters, allocator);
    }

    /** From now on queries that lose their client count as ended by the gateway. */
    void drain() {
        draining = true;
    }

    /** Cancels every query of this front that still runs. */
    void cancelAll() {
        running.forEach(execution -> execution.cancel(CancelReason.DRAIN));
    }

    CancelReason goneReason() {
        return draining ? CancelReason.DRAIN : CancelReason.CLIENT_GONE;
    }

    /** @param parameterBytes held with the query until it is done, and not counted by anyone else */
    QueryExecution submit(Caller caller, QueryTarget target, QueryRequest request, long parameterBytes) {
        parameterBudget.take(parameterBytes);
        QueryExecution execution;
        try {
            execution = target.submit(caller.identity(), request);
        } catch (RuntimeException e) {
            parameterBudget.giveBack(parameterBytes);
            throw e;
        }
        running.add(execution);
        var unused = execution.done().thenAccept(snapshot -> {
            running.remove(execution);
            parameterBudget.giveBack(parameterBytes);
        });
        caller.call().header(FlightErrors.QUERY_ID, execution.id());
        return execution;
    }

    /** What a statement asks for where it runs. */
    QueryRequest request(Caller caller, Statement statement, Places.Place place) {
        return request(caller, statement.sql(), decode(statement.parameters()).values(), place);
    }

    private static QueryRequest request(
            Caller caller, String sql, List<List<@Nullable Object>> rows, Places.Place place) {
        return place.settings().under(caller.options()).request(sql, rows);
    }

    private ResultPump pump(Caller caller, RequestOptions options, ServerStreamListener listener) {
        return new ResultPump(
                listener,
                caller.call(),
                stream -> stream.schema().getFields().isEmpty() ? new CountStream(stream, allocator) : stream,
                allocator,
                caller.options().or(options).compression().orElse(settings.compression()),
                this::goneReason);
    }
}
