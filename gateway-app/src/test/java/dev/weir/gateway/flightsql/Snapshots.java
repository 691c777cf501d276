package dev.weir.gateway.flightsql;

import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/** What a scripted query looks like from outside. */
final class Snapshots {

    private Snapshots() {}

    /** @param position in the queue, told while the query waits */
    static QuerySnapshot of(
            FakeQueries.Execution query,
            QueryState state,
            StatementKind kind,
            int position,
            GatewayErrorCode error,
            String message) {
        boolean waits = state == QueryState.QUEUED;
        return new QuerySnapshot(
                query.id(),
                query.identity.user(),
                query.request.front(),
                state,
                kind,
                0,
                Instant.EPOCH,
                Duration.ZERO,
                Duration.ZERO,
                0,
                0,
                0,
                0,
                "default",
                null,
                null,
                AdmissionTrail.NONE,
                waits ? position : null,
                waits ? "max-running" : null,
                waits ? new ErrorDetails.Limit("global", "max-running", "1") : null,
                waits ? Duration.ofSeconds(4) : null,
                query.cancels.isEmpty() ? null : query.cancels.get(0),
                null,
                null,
                error,
                message,
                null,
                Map.of(),
                null);
    }
}
