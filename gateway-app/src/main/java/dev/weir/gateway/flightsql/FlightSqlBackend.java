package dev.weir.gateway.flightsql;

import dev.weir.auth.Authenticator;
import dev.weir.auth.token.TicketSigner;
import dev.weir.engine.EngineInfo;
import dev.weir.gateway.query.QueryService;

/**
 * What the front calls.
 *
 * @param queries runs the statements
 * @param authenticator checks every call
 * @param signer signs the tickets
 * @param engine for {@code SqlInfo}
 * @param snapshots whether all reads of a transaction see one state, for {@code SqlInfo}
 * @param version of the gateway, for {@code SqlInfo}
 */
public record FlightSqlBackend(
        QueryService queries,
        Authenticator authenticator,
        TicketSigner signer,
        EngineInfo engine,
        boolean snapshots,
        String version) {}
