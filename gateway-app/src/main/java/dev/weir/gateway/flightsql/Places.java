package dev.weir.gateway.flightsql;

import com.google.protobuf.ByteString;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import dev.weir.gateway.query.QuerySession;
import dev.weir.gateway.query.QueryTarget;
import org.jspecify.annotations.Nullable;

/** Finds where a statement runs: in its transaction, in its caller's session, or on its own. Thread-safe. */
final class Places {

    private final QueryService queries;
    private final FlightSessions sessions;
    private final Transactions transactions;

    Places(QueryService queries, FlightSessions sessions, Transactions transactions) {
        this.queries = queries;
        this.sessions = sessions;
        this.transactions = transactions;
    }

    /**
     * Where a statement runs.
     *
     * @param target what it is given to
     * @param settings that it starts from
     * @param ticket where its ticket must be redeemed
     */
    record Place(QueryTarget target, FlightSession.Settings settings, Ref ticket) {}

    /**
     * A place as a ticket names it.
     *
     * @param transaction id; empty for none
     * @param session id of the session whose connection it needs; empty when any will do
     */
    record Ref(String transaction, String session) {
        static final Ref NONE = new Ref("", "");
    }

    /**
     * @throws GatewayException NOT_FOUND when there is no such transaction
     */
    Place of(Caller caller, Statements.Statement statement) {
        ByteString named = statement.transaction();
        FlightSession session = sessions.find(caller);
        RequestOptions options =
                session == null ? RequestOptions.NONE : session.settings().options();
        if (!named.isEmpty()) {
            QuerySession query =
                    statement.prepared() ? transactions.findOpen(caller, named) : transactions.find(caller, named);
            if (query != null) {
                return new Place(
                        query,
                        new FlightSession.Settings(query.settings(), options),
                        new Ref(named.toStringUtf8(), ""));
            }
        }
        if (session == null && caller.session().isLasting() && queries.needsSession(statement.sql())) {
            session = sessions.open(caller);
        }
        if (session == null) {
            return new Place(queries, FlightSession.Settings.NONE, Ref.NONE);
        }
        Ref ticket = session.query().isPinned() ? new Ref("", session.id()) : Ref.NONE;
        return new Place(session.query(), session.settings(), ticket);
    }

    /** Who answers questions about the catalog: the caller's session when it may have tables that others do not see. */
    QueryTarget ofCatalog(Caller caller) {
        FlightSession session = sessions.find(caller);
        return session != null && session.query().isPinned() ? session.query() : queries;
    }

    /**
     * Where rows are loaded: in a transaction, or in the caller's session, which a temporary table makes.
     *
     * @throws GatewayException NOT_FOUND when there is no such transaction
     */
    Place ofIngest(Caller caller, ByteString transaction, boolean temporary) {
        if (transaction.isEmpty() && temporary && caller.session().isLasting()) {
            FlightSession unused = sessions.open(caller);
        }
        return of(caller, Statements.Statement.of("", transaction));
    }

    /**
     * Where a ticket is redeemed.
     *
     * @throws GatewayException NOT_FOUND when its transaction or session is gone
     */
    QueryTarget of(Caller caller, Ref ticket) {
        if (!ticket.transaction().isEmpty()) {
            return transactions.find(caller, ByteString.copyFromUtf8(ticket.transaction()));
        }
        if (!ticket.session().isEmpty()) {
            @Nullable FlightSession named = sessions.find(ticket.session(), caller.user());
            if (named == null) {
                throw new GatewayException(
                        GatewayErrorCode.NOT_FOUND, "The ticket's session was closed, or expired unused.");
            }
            return named.query();
        }
        FlightSession own = sessions.find(caller);
        return own == null ? queries : own.query();
    }
}
