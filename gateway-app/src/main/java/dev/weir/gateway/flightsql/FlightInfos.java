package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** FlightInfos with the one endpoint that some clients insist on, without locations: read it where you asked. */
final class FlightInfos {

    private FlightInfos() {}

    static Flight.FlightInfo.Builder of(
            Flight.FlightDescriptor descriptor, @Nullable Schema schema, Flight.FlightEndpoint.Builder endpoint) {
        return of(descriptor, schema).addEndpoint(endpoint);
    }

    /** Without an endpoint: there is nothing to read yet. */
    static Flight.FlightInfo.Builder of(Flight.FlightDescriptor descriptor, @Nullable Schema schema) {
        return Flight.FlightInfo.newBuilder()
                .setSchema(schema == null ? ByteString.EMPTY : ArrowSchemas.serialize(schema))
                .setFlightDescriptor(descriptor)
                .setTotalRecords(-1)
                .setTotalBytes(-1);
    }

    /** For commands that are their own ticket: catalog questions, which the identity's rights answer. */
    static Flight.FlightInfo ofCommand(Flight.FlightDescriptor descriptor, Schema schema, Any command) {
        return of(
                        descriptor,
                        schema,
                        Flight.FlightEndpoint.newBuilder()
                                .setTicket(Flight.Ticket.newBuilder().setTicket(command.toByteString())))
                .build();
    }
}
