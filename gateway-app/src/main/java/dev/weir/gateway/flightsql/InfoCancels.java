package dev.weir.gateway.flightsql;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/** Cancels what runs under the tickets of a FlightInfo. Thread-safe. */
final class InfoCancels {

    private final SignedHandles handles;
    private final TicketLedger ledger;

    InfoCancels(SignedHandles handles, TicketLedger ledger) {
        this.handles = handles;
        this.ledger = ledger;
    }

    /**
     * Cancels the queries of a FlightInfo.
     *
     * @throws GatewayException NOT_FOUND when it is not one that this gateway issued to the caller
     */
    TicketLedger.Cancellation cancel(Caller caller, Flight.FlightInfo info) {
        TicketLedger.@Nullable Cancellation outcome = null;
        for (Flight.FlightEndpoint endpoint : info.getEndpointList()) {
            StatementTicket ticket = ticketOf(caller, endpoint.getTicket());
            if (ticket != null) {
                outcome = ticket.outcome() != null
                        ? TicketLedger.Cancellation.TOO_LATE
                        : ledger.cancel(ticket.id(), caller.identity(), true);
            }
        }
        if (outcome == null && !info.getAppMetadata().isEmpty()) {
            // The ticket has expired, or is another user's: its query may run still, and an admin may end it.
            outcome = ledger.cancel(info.getAppMetadata().toStringUtf8(), caller.identity(), false);
        }
        if (outcome == null) {
            throw new GatewayException(GatewayErrorCode.NOT_FOUND, "There is no such query to cancel.");
        }
        return outcome;
    }

    private @Nullable StatementTicket ticketOf(Caller caller, Flight.Ticket ticket) {
        byte[] payload = handles.openPacked(caller, ticket.getTicket());
        return payload == null || PollHandle.is(payload) || PartitionHandle.is(payload)
                ? null
                : StatementTicket.decode(payload);
    }
}
