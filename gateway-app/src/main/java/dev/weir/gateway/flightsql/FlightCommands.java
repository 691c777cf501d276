package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.MessageLite;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.IngestInlet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.arrow.flight.FlightProducer.ServerStreamListener;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** Flight SQL's commands, as they come in descriptors and tickets, to what they ask for. */
final class FlightCommands {

    private final Statements statements;
    private final Polls polls;
    private final SignedHandles handles;
    private final PreparedStatements prepared;
    private final SqlInfoCatalog sqlInfo;

    FlightCommands(
            Statements statements,
            Polls polls,
            SignedHandles handles,
            PreparedStatements prepared,
            SqlInfoCatalog sqlInfo) {
        this.statements = statements;
        this.polls = polls;
        this.handles = handles;
        this.prepared = prepared;
        this.sqlInfo = sqlInfo;
    }

    /** GetFlightInfo. */
    CompletionStage<Flight.FlightInfo> info(Caller caller, Flight.FlightDescriptor descriptor) {
        Any command = commandOf(descriptor);
        Statements.Statement statement = statementOf(caller, command);
        return statement != null
                ? statements.info(caller, descriptor, statement)
                : CompletableFuture.completedFuture(FlightInfos.ofCommand(descriptor, catalogSchema(command), command));
    }

    /** PollFlightInfo: on a statement, which it submits, or on the descriptor of an earlier answer. */
    CompletionStage<Flight.PollInfo> poll(Caller caller, Flight.FlightDescriptor descriptor) {
        Any command = commandOf(descriptor);
        if (command.is(FlightSql.TicketStatementQuery.class)) {
            return polls.next(
                    caller,
                    descriptor,
                    unpack(command, FlightSql.TicketStatementQuery.class).getStatementHandle());
        }
        Statements.Statement statement = statementOf(caller, command);
        return statement != null
                ? polls.first(caller, descriptor, statement)
                : CompletableFuture.completedFuture(Flight.PollInfo.newBuilder()
                        .setInfo(FlightInfos.ofCommand(descriptor, catalogSchema(command), command))
                        .build());
    }

    /** GetSchema. */
    CompletionStage<Schema> schema(Caller caller, Flight.FlightDescriptor descriptor) {
        Any command = commandOf(descriptor);
        Statements.Statement statement = statementOf(caller, command);
        return statement != null
                ? statements.schema(caller, statement)
                : CompletableFuture.completedFuture(catalogSchema(command));
    }

    /** DoGet: on a ticket of ours, or on a command that is its own ticket. */
    void stream(Caller caller, ByteString ticket, ServerStreamListener listener) {
        Any command = parse(ticket, "The ticket");
        if (command.is(FlightSql.TicketStatementQuery.class)) {
            byte[] payload = handles.open(
                    caller,
                    unpack(command, FlightSql.TicketStatementQuery.class).getStatementHandle());
            if (PollHandle.is(payload)) {
                polls.stream(caller, payload, listener);
            } else if (PartitionHandle.is(payload)) {
                statements.partitions().stream(caller, payload, listener);
            } else {
                statements.redeem(caller, payload, listener);
            }
            return;
        }
        Statements.Statement statement = statementOf(caller, command);
        if (statement != null) {
            statements.stream(caller, statement, listener);
        } else if (command.is(FlightSql.CommandGetSqlInfo.class)) {
            sqlInfo.send(unpack(command, FlightSql.CommandGetSqlInfo.class).getInfoList(), listener);
        } else {
            statements.metadata(caller, metadataOf(command), listener);
        }
    }

    /** DoPut: what to do with the parameters that follow. */
    PutCall.Target put(Caller caller, Flight.FlightDescriptor descriptor) {
        Any command = commandOf(descriptor);
        if (command.is(FlightSql.CommandStatementUpdate.class)) {
            FlightSql.CommandStatementUpdate update = unpack(command, FlightSql.CommandStatementUpdate.class);
            Statements.Statement statement = Statements.Statement.of(update.getQuery(), update.getTransactionId());
            return target(
                    false, false, payload -> updated(statements.update(caller, statement, ParameterDecoder.Rows.NONE)));
        }
        if (command.is(FlightSql.CommandPreparedStatementUpdate.class)) {
            PreparedStatements.PreparedStatement statement = prepared.get(
                    unpack(command, FlightSql.CommandPreparedStatementUpdate.class)
                            .getPreparedStatementHandle(),
                    caller);
            return target(true, false, payload -> {
                ParameterDecoder.Rows rows = statements.decode(payload);
                return updated(statements.update(
                        caller, statement.asked(), rows.bound() ? rows : statements.decode(statement.parameters())));
            });
        }
        if (command.is(FlightSql.CommandPreparedStatementQuery.class)) {
            return bind(
                    caller,
                    unpack(command, FlightSql.CommandPreparedStatementQuery.class)
                            .getPreparedStatementHandle());
        }
        throw unknown(command);
    }

    /** DoPut of rows to load; null when the descriptor is for something else. */
    @Nullable
    IngestInlet ingest(Caller caller, Flight.FlightDescriptor descriptor) {
        Any command = commandOf(descriptor);
        return command.is(FlightSql.CommandStatementIngest.class)
                ? statements.ingest(caller, unpack(command, FlightSql.CommandStatementIngest.class))
                : null;
    }

    CancelReason goneReason() {
        return statements.goneReason();
    }

    private PutCall.Target bind(Caller caller, ByteString handle) {
        PreparedStatements.PreparedStatement statement = prepared.get(handle, caller);
        return target(true, true, payload -> {
            // Decoded here for its errors, and again at each run.
            ParameterDecoder.Rows unused = statements.decode(payload);
            prepared.bind(statement, payload);
            return CompletableFuture.completedFuture(FlightSql.DoPutPreparedStatementResult.newBuilder()
                    .setPreparedStatementHandle(handle)
                    .build());
        });
    }

    private static PutCall.Target target(
            boolean takesParameters,
            boolean keepsParameters,
            Function<ParameterPayload, CompletionStage<? extends MessageLite>> run) {
        return new PutCall.Target() {
            @Override
            public boolean takesParameters() {
                return takesParameters;
            }

            @Override
            public boolean keepsParameters() {
                return keepsParameters;
            }

            @Override
            public CompletionStage<? extends MessageLite> run(ParameterPayload payload) {
                return run.apply(payload);
            }
        };
    }

    private static CompletionStage<FlightSql.DoPutUpdateResult> updated(CompletionStage<Long> count) {
        return count.thenApply(rows ->
                FlightSql.DoPutUpdateResult.newBuilder().setRecordCount(rows).build());
    }

    /** The statement that a command names; null when it is another command. */
    private Statements.@Nullable Statement statementOf(Caller caller, Any command) {
        if (command.is(FlightSql.CommandStatementQuery.class)) {
            FlightSql.CommandStatementQuery query = unpack(command, FlightSql.CommandStatementQuery.class);
            return Statements.Statement.of(query.getQuery(), query.getTransactionId());
        }
        if (command.is(FlightSql.CommandPreparedStatementQuery.class)) {
            PreparedStatements.PreparedStatement statement = prepared.get(
                    unpack(command, FlightSql.CommandPreparedStatementQuery.class)
                            .getPreparedStatementHandle(),
                    caller);
            return statement.asked();
        }
        return null;
    }

    private static Schema catalogSchema(Any command) {
        return command.is(FlightSql.CommandGetSqlInfo.class)
                ? Schemas.GET_SQL_INFO_SCHEMA
                : metadataOf(command).schema();
    }

    private static MetadataCommand metadataOf(Any command) {
        try {
            MetadataCommand metadata = MetadataCommand.of(command);
            if (metadata != null) {
                return metadata;
            }
        } catch (InvalidProtocolBufferException e) {
            throw malformed("The command");
        }
        throw unknown(command);
    }

    private static RuntimeException unknown(Any command) {
        if (command.is(FlightSql.CommandStatementIngest.class)) {
            return FlightErrors.invalidRequest("Rows are loaded by DoPut.");
        }
        if (command.is(FlightSql.CommandStatementSubstraitPlan.class)) {
            return FlightErrors.unimplemented("Substrait plans are");
        }
        return FlightErrors.invalidRequest("This is not a command that can be used here.");
    }

    private static Any commandOf(Flight.FlightDescriptor descriptor) {
        if (descriptor.getType() != Flight.FlightDescriptor.DescriptorType.CMD) {
            throw FlightErrors.invalidRequest(
                    "The descriptor must hold a Flight SQL command; there are no paths here.");
        }
        return parse(descriptor.getCmd(), "The descriptor");
    }

    private static Any parse(ByteString bytes, String what) {
        try {
            return Any.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw malformed(what);
        }
    }

    private static <T extends Message> T unpack(Any command, Class<T> type) {
        try {
            return command.unpack(type);
        } catch (InvalidProtocolBufferException e) {
            throw malformed("The command");
        }
    }

    private static GatewayException malformed(String what) {
        return FlightErrors.invalidRequest(what + " does not hold a Flight SQL message.");
    }
}
