package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.protobuf.ByteString;
import com.google.protobuf.Timestamp;
import dev.weir.auth.Role;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Description;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryExecution;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * PollFlightInfo: the first poll submits the query, later ones wait for news of it, and a DoGet attaches to its result.
 *
 * <p>Thread-safe; nothing here blocks. A poll that waits holds no thread: {@link #look}, called again and again, wakes it.
 */
final class Polls {

    /** How often {@link #look} is due. */
    static final Duration LOOK_EVERY = Duration.ofMillis(250);

    /** The first poll shall answer quickly; this long it waits for a query that runs at once, to spare the second. */
    static final Duration FIRST_WAIT = Duration.ofMillis(200);

    /** Longest wait of a later poll. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    /** Queries that are remembered after their end, to tell late polls what became of them. */
    private static final int MAX_ENDED = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(Polls.class);

    private final Statements statements;
    private final SignedHandles handles;
    private final FlightSqlSettings settings;
    private final Clock clock;
    private final Map<String, PolledQuery> live = new ConcurrentHashMap<>();
    private final Cache<String, PolledQuery> ended;

    Polls(Statements statements, SignedHandles handles, FlightSqlSettings settings, Clock clock, Ticker ticker) {
        this.statements = statements;
        this.handles = handles;
        this.settings = settings;
        this.clock = clock;
        this.ended = Caffeine.newBuilder()
                .expireAfterWrite(settings.ticketTimeToLive())
                .maximumSize(MAX_ENDED)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * Submits the statement, once it was described: what cannot be run fails here, not after a wait in the queue. A
     * client that goes before it is answered has nothing to come back with, and its query is cancelled.
     */
    CompletionStage<Flight.PollInfo> first(
            Caller caller, Flight.FlightDescriptor descriptor, Statements.Statement statement) {
        Places.Place place = statements.place(caller, statement);
        QueryRequest request = statements.request(caller, statement, place);
        AtomicBoolean over = new AtomicBoolean();
        caller.call().atEnd(() -> over.set(true));
        return statements.describe(caller, statement.sql(), place).thenCompose(description -> {
            if (over.get()) {
                throw new GatewayException(GatewayErrorCode.CANCELLED, "The client cancelled the call.");
            }
            PolledQuery query = submit(caller, place, request, statement, description);
            QuerySnapshot now = query.snapshot();
            Duration wait = now.state() == QueryState.QUEUED ? Duration.ZERO : FIRST_WAIT;
            CompletableFuture<Void> news =
                    query.news(PollStatus.seen(now), clock.instant().plus(wait));
            caller.call().atEnd(() -> {
                if (!news.isDone()) {
                    query.cancel(statements.goneReason());
                }
            });
            return news.thenApply(nothing -> answer(caller, descriptor, query));
        });
    }

    private PolledQuery submit(
            Caller caller,
            Places.Place place,
            QueryRequest request,
            Statements.Statement statement,
            Description description) {
        QueryExecution execution = statements.submit(
                caller, place.target(), request, statement.parameters().size());
        Schema described = description.givesRows() ? Statements.infoSchema(statement, description) : ArrowSchemas.COUNT;
        boolean writes = !description.kind().isRead();
        RequestOptions options = caller.options().or(place.settings().options());
        PolledQuery query = new PolledQuery(caller.user(), execution, options, writes, described, settings, clock);
        live.put(execution.id(), query);
        if (description.givesRows()) {
            var unused = execution.stream().whenComplete((stream, failure) -> {
                if (failure != null) {
                    query.failed(failure, null);
                } else {
                    boolean givesRows = !stream.schema().getFields().isEmpty();
                    query.opened(stream, givesRows ? stream.schema() : ArrowSchemas.COUNT);
                }
            });
        } else {
            // Nothing to read: it runs on its own, as at GetFlightInfo.
            var unused = execution.stream()
                    .thenCompose(stream -> statements.count(execution, stream))
                    .whenComplete((count, failure) -> {
                        if (failure != null) {
                            query.failed(failure, null);
                        } else {
                            query.counted(count);
                        }
                    });
        }
        var unused = execution.done().thenAccept(snapshot -> {
            query.done(snapshot);
            ended.put(snapshot.id(), query);
            live.remove(snapshot.id());
        });
        return query;
    }

    /** Waits for news of the query of a descriptor that an earlier poll was answered with. */
    CompletionStage<Flight.PollInfo> next(Caller caller, Flight.FlightDescriptor descriptor, ByteString signed) {
        byte[] payload = handles.open(caller, signed);
        if (!PollHandle.is(payload) || PollHandle.decode(payload).isTicket()) {
            throw FlightErrors.invalidRequest(
                    "This is a ticket; a poll takes a statement, or the descriptor of the last poll's answer.");
        }
        PollHandle handle = PollHandle.decode(payload);
        PolledQuery query = find(caller, handle);
        caller.call().header(FlightErrors.QUERY_ID, query.id());
        CompletableFuture<Void> news = query.news(handle.seen(), clock.instant().plus(LONGEST_WAIT));
        // Clients may poll with a short deadline: that one call is over, and the query goes on.
        caller.call().atEnd(() -> query.left(news));
        return news.thenApply(nothing -> answer(caller, descriptor, query));
    }

    private Flight.PollInfo answer(Caller caller, Flight.FlightDescriptor descriptor, PolledQuery query) {
        PolledQuery.Status status = query.tell();
        Flight.PollInfo.Builder answer = Flight.PollInfo.newBuilder().setExpirationTime(timestamp(status.expires()));
        Flight.FlightInfo.Builder info = switch (status.phase()) {
            case COUNTED -> statements.ofCount(caller, descriptor, status.count()).toBuilder();
            case OPEN -> FlightInfos.of(descriptor, status.schema(), endpoint(caller, query));
            default -> {
                answer.setFlightDescriptor(nextPoll(caller, status));
                yield FlightInfos.of(descriptor, status.schema());
            }
        };
        return answer.setInfo(info.setAppMetadata(PollStatus.json(status.query())))
                .build();
    }

    /** Without an expiry, which would say that it can be redeemed again until then. */
    private Flight.FlightEndpoint.Builder endpoint(Caller caller, PolledQuery query) {
        byte[] ticket = PollHandle.ticket(query.id()).encode();
        // The query's own time ends sooner; until this one it can be told what became of it.
        return Flight.FlightEndpoint.newBuilder()
                .setTicket(Flight.Ticket.newBuilder()
                        .setTicket(handles.pack(caller, ticket, settings.ticketTimeToLive())));
    }

    private Flight.FlightDescriptor nextPoll(Caller caller, PolledQuery.Status status) {
        byte[] handle = PollHandle.descriptor(status.query().id(), PollStatus.seen(status.query()))
                .encode();
        return Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.CMD)
                .setCmd(handles.pack(caller, handle, settings.ticketTimeToLive()))
                .build();
    }

    private static Timestamp timestamp(Instant time) {
        return Timestamp.newBuilder()
                .setSeconds(time.getEpochSecond())
                .setNanos(time.getNano())
                .build();
    }

    /** Sends the result of a ticket that attaches to a polled query; once. */
    void stream(Caller caller, byte[] payload, ServerStreamListener listener) {
        PollHandle handle = PollHandle.decode(payload);
        if (!handle.isTicket()) {
            throw FlightErrors.invalidRequest(
                    "This is a descriptor to poll with; the last poll's answer has the ticket.");
        }
        PolledQuery query = find(caller, handle);
        caller.call().header(FlightErrors.QUERY_ID, query.id());
        QueryExecution execution = query.claim();
        statements.send(caller, execution, execution.stream(), query.options(), listener);
    }

    private PolledQuery find(Caller caller, PollHandle handle) {
        PolledQuery query = byId(handle.queryId());
        // The signature binds the handle to its user; this is the second lock.
        if (query == null || !query.user().equals(caller.user())) {
            throw PollFailures.unknown();
        }
        return query;
    }

    private @Nullable PolledQuery byId(String id) {
        PolledQuery query = live.get(id);
        return query != null ? query : ended.getIfPresent(id);
    }

    /**
     * Cancels the polled query of an info, whichever poll gave it.
     *
     * @return null when the info names no polled query of this caller
     */
    TicketLedger.@Nullable Cancellation cancel(Caller caller, Flight.FlightInfo info) {
        String id = idOf(caller, info);
        PolledQuery query = id == null ? null : byId(id);
        if (query == null) {
            return null;
        }
        if (query.user().equals(caller.user())) {
            return query.cancel(CancelReason.CLIENT_CANCEL);
        }
        return caller.identity().role().includes(Role.ADMIN) ? query.cancel(CancelReason.ADMIN) : null;
    }

    private @Nullable String idOf(Caller caller, Flight.FlightInfo info) {
        String named = PollStatus.queryId(info.getAppMetadata());
        if (named != null) {
            return named;
        }
        for (Flight.FlightEndpoint endpoint : info.getEndpointList()) {
            byte[] payload = handles.openPacked(caller, endpoint.getTicket().getTicket());
            if (payload != null && PollHandle.is(payload)) {
                return PollHandle.decode(payload).queryId();
            }
        }
        byte[] payload = handles.openPacked(caller, info.getFlightDescriptor().getCmd());
        return payload != null && PollHandle.is(payload)
                ? PollHandle.decode(payload).queryId()
                : null;
    }

    /** Wakes the polls that have news or have waited long enough; ends the queries whose clients stay away. */
    void look() {
        Instant now = clock.instant();
        for (PolledQuery query : live.values()) {
            try {
                query.look(now);
            } catch (RuntimeException e) {
                LOG.error("The polled query {} could not be looked at", query.id(), e);
            }
        }
    }

    /** No more calls come: whatever nobody reads by now nobody will. */
    void drain() {
        for (PolledQuery query : live.values()) {
            query.abandon(PollFailures.shuttingDown(), CancelReason.DRAIN);
        }
    }
}
