package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import dev.weir.gateway.query.Description;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.FlightConstants;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.FlightSqlUtils;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.ActionCancelQueryResult.CancelResult;
import org.jspecify.annotations.Nullable;

/** DoAction: prepared statements, cancel, sessions. */
final class Actions {

    /** One kind of action; gives at most one result. */
    @FunctionalInterface
    private interface Handler {
        CompletionStage<Optional<ByteString>> run(Caller caller, ByteString body) throws InvalidProtocolBufferException;
    }

    private final Map<org.apache.arrow.flight.ActionType, Handler> handlers = new LinkedHashMap<>();
    private final Statements statements;
    private final Polls polls;
    private final PreparedStatements prepared;

    Actions(
            Statements statements,
            Polls polls,
            PreparedStatements prepared,
            SessionActions sessions,
            Transactions transactions) {
        this.statements = statements;
        this.polls = polls;
        this.prepared = prepared;
        handlers.put(FlightSqlUtils.FLIGHT_SQL_CREATE_PREPARED_STATEMENT, this::prepare);
        handlers.put(FlightSqlUtils.FLIGHT_SQL_CLOSE_PREPARED_STATEMENT, this::closePrepared);
        handlers.put(FlightSqlUtils.FLIGHT_SQL_CANCEL_QUERY, this::cancelQuery);
        handlers.put(FlightConstants.CANCEL_FLIGHT_INFO, this::cancelFlightInfo);
        handlers.put(FlightSqlUtils.FLIGHT_SQL_BEGIN_TRANSACTION, (caller, body) -> begin(transactions, caller));
        handlers.put(FlightSqlUtils.FLIGHT_SQL_END_TRANSACTION, (caller, body) -> end(transactions, caller, body));
        handlers.put(
                FlightConstants.SET_SESSION_OPTIONS,
                (caller, body) -> sessions.set(caller, Flight.SetSessionOptionsRequest.parseFrom(body))
                        .thenApply(Actions::one));
        handlers.put(
                FlightConstants.GET_SESSION_OPTIONS,
                (caller, body) -> CompletableFuture.completedFuture(one(sessions.get(caller))));
        handlers.put(
                FlightConstants.CLOSE_SESSION,
                (caller, body) -> CompletableFuture.completedFuture(one(sessions.close(caller))));
    }

    /** The supported actions. */
    Iterable<org.apache.arrow.flight.ActionType> types() {
        return handlers.keySet();
    }

    /** Runs an action; what is not supported is UNIMPLEMENTED. */
    CompletionStage<Optional<ByteString>> run(Caller caller, Flight.Action action) {
        for (Map.Entry<org.apache.arrow.flight.ActionType, Handler> entry : handlers.entrySet()) {
            if (entry.getKey().getType().equals(action.getType())) {
                try {
                    return entry.getValue().run(caller, action.getBody());
                } catch (InvalidProtocolBufferException e) {
                    throw FlightErrors.invalidRequest(
                            "The body of the action " + action.getType() + " is not the message it should be.");
                }
            }
        }
        throw FlightErrors.unimplemented("The action " + shortened(action.getType()) + " is");
    }

    private static CompletionStage<Optional<ByteString>> begin(Transactions transactions, Caller caller) {
        return transactions
                .begin(caller)
                .thenApply(id -> packed(FlightSql.ActionBeginTransactionResult.newBuilder()
                        .setTransactionId(ByteString.copyFromUtf8(id))
                        .build()));
    }

    private static CompletionStage<Optional<ByteString>> end(Transactions transactions, Caller caller, ByteString body)
            throws InvalidProtocolBufferException {
        FlightSql.ActionEndTransactionRequest request =
                Any.parseFrom(body).unpack(FlightSql.ActionEndTransactionRequest.class);
        boolean commit = switch (request.getAction()) {
            case END_TRANSACTION_COMMIT -> true;
            case END_TRANSACTION_ROLLBACK -> false;
            default -> throw FlightErrors.invalidRequest("A transaction is ended by COMMIT or ROLLBACK.");
        };
        return transactions
                .end(caller, request.getTransactionId(), commit)
                .thenApply(nothing -> Optional.<ByteString>empty());
    }

    private CompletionStage<Optional<ByteString>> prepare(Caller caller, ByteString body)
            throws InvalidProtocolBufferException {
        FlightSql.ActionCreatePreparedStatementRequest request =
                Any.parseFrom(body).unpack(FlightSql.ActionCreatePreparedStatementRequest.class);
        ByteString transaction = request.getTransactionId();
        return statements
                .describe(caller, Statements.Statement.of(request.getQuery(), transaction))
                .thenApply(description ->
                        packed(preparedResult(prepared.open(caller, request.getQuery(), transaction), description)));
    }

    private static FlightSql.ActionCreatePreparedStatementResult preparedResult(
            ByteString handle, Description description) {
        FlightSql.ActionCreatePreparedStatementResult.Builder result =
                FlightSql.ActionCreatePreparedStatementResult.newBuilder()
                        .setPreparedStatementHandle(handle)
                        .setParameterSchema(ArrowSchemas.serialize(ArrowSchemas.forBinding(description.parameters())));
        // Clients take an empty dataset schema for an update.
        if (description.givesRows()) {
            result.setDatasetSchema(ArrowSchemas.serialize(description.schema()));
        }
        return result.build();
    }

    private CompletionStage<Optional<ByteString>> closePrepared(Caller caller, ByteString body)
            throws InvalidProtocolBufferException {
        prepared.close(
                Any.parseFrom(body)
                        .unpack(FlightSql.ActionClosePreparedStatementRequest.class)
                        .getPreparedStatementHandle(),
                caller);
        return CompletableFuture.completedFuture(Optional.empty());
    }

    private CompletionStage<Optional<ByteString>> cancelFlightInfo(Caller caller, ByteString body)
            throws InvalidProtocolBufferException {
        Flight.FlightInfo info = Flight.CancelFlightInfoRequest.parseFrom(body).getInfo();
        Flight.CancelStatus status = switch (cancel(caller, info)) {
            case CANCELLED -> Flight.CancelStatus.CANCEL_STATUS_CANCELLED;
            case CANCELLING -> Flight.CancelStatus.CANCEL_STATUS_CANCELLING;
            case TOO_LATE -> Flight.CancelStatus.CANCEL_STATUS_NOT_CANCELLABLE;
        };
        return CompletableFuture.completedFuture(
                one(Flight.CancelFlightInfoResult.newBuilder().setStatus(status).build()));
    }

    /** The older form of the same. */
    @SuppressWarnings("deprecation")
    private CompletionStage<Optional<ByteString>> cancelQuery(Caller caller, ByteString body)
            throws InvalidProtocolBufferException {
        Flight.FlightInfo info = Flight.FlightInfo.parseFrom(Any.parseFrom(body)
                .unpack(FlightSql.ActionCancelQueryRequest.class)
                .getInfo());
        CancelResult result = switch (cancel(caller, info)) {
            case CANCELLED -> CancelResult.CANCEL_RESULT_CANCELLED;
            case CANCELLING -> CancelResult.CANCEL_RESULT_CANCELLING;
            case TOO_LATE -> CancelResult.CANCEL_RESULT_NOT_CANCELLABLE;
        };
        return CompletableFuture.completedFuture(packed(
                FlightSql.ActionCancelQueryResult.newBuilder().setResult(result).build()));
    }

    private TicketLedger.Cancellation cancel(Caller caller, Flight.FlightInfo info) {
        TicketLedger.@Nullable Cancellation polled = polls.cancel(caller, info);
        if (polled != null) {
            return polled;
        }
        TicketLedger.@Nullable Cancellation partitioned =
                statements.partitions().cancel(caller, info);
        return partitioned != null ? partitioned : statements.cancels().cancel(caller, info);
    }

    private static Optional<ByteString> one(MessageLite result) {
        return Optional.of(result.toByteString());
    }

    private static Optional<ByteString> packed(com.google.protobuf.Message result) {
        return Optional.of(Any.pack(result).toByteString());
    }

    private static String shortened(String type) {
        return type.length() > 100 ? type.substring(0, 100) + "..." : type;
    }
}
