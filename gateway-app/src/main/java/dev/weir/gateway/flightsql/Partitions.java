package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.weir.auth.Role;
import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.PartitionedResult;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QueryState;
import java.time.Clock;
import java.time.Instant;
import java.util.UUID;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.memory.BufferAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Results that are read over several endpoints. The first DoGet of one submits its query, the others attach. Known to
 * this process alone, until its tickets expire. Thread-safe.
 */
final class Partitions {

    /** Statements that wait to be read are held with their text and parameters; the oldest go first. */
    private static final long MAX_HELD_BYTES = 64L << 20;

    private static final int ENTRY_BYTES = 1024;

    private final Statements statements;
    private final SignedHandles handles;
    private final FlightSqlSettings settings;
    private final BufferAllocator allocator;
    private final Clock clock;
    private final Cache<String, Entry> results;

    Partitions(
            Statements statements,
            SignedHandles handles,
            FlightSqlSettings settings,
            BufferAllocator allocator,
            Clock clock,
            Ticker ticker) {
        this.statements = statements;
        this.handles = handles;
        this.settings = settings;
        this.allocator = allocator;
        this.clock = clock;
        this.results = Caffeine.newBuilder()
                .expireAfterWrite(settings.ticketTimeToLive())
                .maximumWeight(MAX_HELD_BYTES)
                .<String, Entry>weigher((id, entry) -> entry.heldBytes)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /** How a result is submitted, with the options of the call that reads it first. */
    @FunctionalInterface
    private interface Start {
        PartitionedResult submit(Caller caller);
    }

    private static final class Entry {
        final String user;
        final int heldBytes;
        final RequestOptions options;
        private final Start start;

        @GuardedBy("this")
        private @Nullable PartitionedResult result;

        @GuardedBy("this")
        private boolean cancelled;

        Entry(String user, int heldBytes, RequestOptions options, Start start) {
            this.user = user;
            this.heldBytes = heldBytes;
            this.options = options;
            this.start = start;
        }

        synchronized PartitionedResult result(Caller caller) {
            if (cancelled) {
                throw new GatewayException(
                        GatewayErrorCode.CANCELLED, "The query of this ticket was cancelled; ask for a new one.");
            }
            if (result == null) {
                result = start.submit(caller);
            }
            return result;
        }

        /** Bars a query that was not submitted; gives one that was. */
        synchronized @Nullable PartitionedResult cancel() {
            cancelled |= result == null;
            return result;
        }
    }

    /**
     * The info of a statement whose result comes over several endpoints; null when it comes over one.
     *
     * @throws GatewayException INVALID_REQUEST when more partitions are asked for than configured
     */
    Flight.@Nullable FlightInfo info(
            Caller caller,
            Flight.FlightDescriptor descriptor,
            Statements.Statement statement,
            Places.Place place,
            Description description) {
        RequestOptions options = caller.options().or(place.settings().options());
        int count = count(options, description);
        if (count == 1) {
            return null;
        }
        String id = UUID.randomUUID().toString();
        long held = ENTRY_BYTES
                + 2L * statement.sql().length()
                + statement.parameters().size();
        Entry entry = new Entry(
                caller.user(),
                (int) Math.min(MAX_HELD_BYTES, held),
                options,
                reader -> submit(reader, statement, place, options, count));
        results.put(id, entry);
        return info(caller, id, count, FlightInfos.of(descriptor, Statements.infoSchema(statement, description)));
    }

    /** One, for what changes data, and for an order that the client could not restore. */
    private int count(RequestOptions options, Description description) {
        int most = settings.maxPartitions();
        int count = options.partitions().orElse(settings.partitions());
        if (count > most) {
            throw new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "A result comes in at most " + most + " partitions (weir.results.max-partitions).",
                    ErrorDetails.ofLimit("query", "results.max-partitions", Integer.toString(most)));
        }
        boolean orderMatters = description.ordered() && !options.batchNumbers();
        return description.kind() == StatementKind.QUERY && !orderMatters ? count : 1;
    }

    private PartitionedResult submit(
            Caller reader, Statements.Statement statement, Places.Place place, RequestOptions options, int count) {
        QueryRequest request = new FlightSession.Settings(place.settings().settings(), options)
                .under(reader.options())
                .request(
                        statement.sql(),
                        statements.decode(statement.parameters()).values());
        QueryExecution query = statements.submit(
                reader, place.target(), request, statement.parameters().size());
        return new PartitionedResult(query, count, options.batchNumbers(), allocator);
    }

    private Flight.FlightInfo info(Caller caller, String id, int count, Flight.FlightInfo.Builder info) {
        Instant expiry = clock.instant().plus(settings.ticketTimeToLive());
        for (int number = 0; number < count; number++) {
            byte[] payload = new PartitionHandle(id, number).encode();
            info.addEndpoint(Flight.FlightEndpoint.newBuilder()
                    .setTicket(Flight.Ticket.newBuilder()
                            .setTicket(handles.pack(caller, payload, settings.ticketTimeToLive())))
                    .setExpirationTime(Timestamp.newBuilder()
                            .setSeconds(expiry.getEpochSecond())
                            .setNanos(expiry.getNano())));
        }
        return info.setAppMetadata(ByteString.copyFromUtf8(id)).build();
    }

    /** DoGet on the ticket of a partition, whose signature was checked. */
    void stream(Caller caller, byte[] payload, ServerStreamListener listener) {
        PartitionHandle handle = PartitionHandle.decode(payload);
        Entry entry = results.getIfPresent(handle.resultId());
        if (entry == null || !entry.user.equals(caller.user())) {
            throw new GatewayException(
                    GatewayErrorCode.NOT_FOUND,
                    "The partitions of a result can be read at the gateway that issued their tickets only, until they"
                            + " expire or that restarts; ask for new ones.");
        }
        PartitionedResult result = entry.result(caller);
        statements.send(caller, result.query(), result.open(handle.number()), entry.options, listener);
    }

    /** Cancels the query of an info; null when it is none of a partitioned result that is known. */
    TicketLedger.@Nullable Cancellation cancel(Caller caller, Flight.FlightInfo info) {
        Entry entry = results.getIfPresent(info.getAppMetadata().toStringUtf8());
        boolean admin = caller.identity().role().includes(Role.ADMIN);
        if (entry == null || !entry.user.equals(caller.user()) && !admin) {
            return null;
        }
        PartitionedResult result = entry.cancel();
        if (result == null) {
            return TicketLedger.Cancellation.CANCELLED;
        }
        boolean own = entry.user.equals(caller.user());
        boolean now = result.query().cancel(own ? CancelReason.CLIENT_CANCEL : CancelReason.ADMIN);
        QueryState state = result.query().snapshot().state();
        if (state == QueryState.CANCELLED) {
            return TicketLedger.Cancellation.CANCELLED;
        }
        return now || !state.isDone() ? TicketLedger.Cancellation.CANCELLING : TicketLedger.Cancellation.TOO_LATE;
    }
}
