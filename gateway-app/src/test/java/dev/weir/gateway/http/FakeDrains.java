package dev.weir.gateway.http;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.gateway.query.DrainControl;
import dev.weir.gateway.query.DrainReport;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QuerySnapshot;
import java.time.Duration;
import java.util.List;

/** A drain that only remembers whether it was begun. */
final class FakeDrains implements DrainControl {

    volatile List<QuerySnapshot> queries = List.of();
    private volatile boolean draining;

    @Override
    public DrainReport report(Identity identity) {
        if (!identity.role().includes(Role.ADMIN)) {
            throw new GatewayException(GatewayErrorCode.FORBIDDEN, "no");
        }
        return new DrainReport(draining, draining ? Duration.ofSeconds(30) : null, queries);
    }

    @Override
    public DrainReport drain(Identity identity) {
        report(identity);
        draining = true;
        return report(identity);
    }

    @Override
    public DrainReport resume(Identity identity) {
        report(identity);
        draining = false;
        return report(identity);
    }
}
