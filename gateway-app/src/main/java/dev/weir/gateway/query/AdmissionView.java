package dev.weir.gateway.query;

import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.RunTimeStats;
import dev.weir.auth.Identity;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import java.util.List;
import java.util.Map;

/**
 * What admission tells about itself, and its limits. Answers at saturation: nothing here waits for a slot. Thread-safe;
 * no method but {@link #change} blocks.
 */
public interface AdmissionView {

    /** What runs and waits: all of it for an admin, for others the totals, their own group and themselves. */
    AdmissionSnapshot snapshot(Identity identity);

    /** What the engine can carry now; the limits in force are within it. */
    EngineCapacity capacity();

    /**
     * The processes that run queries, as the gateway sees them; none when that is the gateway itself.
     *
     * @throws GatewayException FORBIDDEN unless the identity is an admin
     */
    List<EngineNode> workers(Identity identity);

    /**
     * What was learned about run times, the last seen first: all of it for an admin, for others what is told of
     * themselves and their group.
     *
     * @param most lines, at least 1
     */
    List<RunTimeStats> history(Identity identity, int most);

    /** What would happen to this query if it were submitted now. Takes nothing; never throws for a refusal. */
    Explained explain(Identity identity, QueryRequest request);

    /**
     * The limits in force as the configuration writes them.
     *
     * @throws GatewayException FORBIDDEN unless the identity is an admin
     */
    Map<String, Object> limits(Identity identity);

    /**
     * Changes limits, as {@link LimitsSource#change} does. May block for a file.
     *
     * @return the limits in force from now on
     * @throws GatewayException FORBIDDEN unless the identity is an admin; INVALID_REQUEST that names the property
     */
    Map<String, Object> change(Identity identity, Map<String, ?> changes, boolean persist);
}
