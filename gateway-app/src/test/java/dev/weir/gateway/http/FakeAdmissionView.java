package dev.weir.gateway.http;

import dev.weir.admission.AdmissionSnapshot;
import dev.weir.admission.RunTimeStats;
import dev.weir.auth.Identity;
import dev.weir.engine.EngineCapacity;
import dev.weir.engine.EngineNode;
import dev.weir.gateway.query.AdmissionView;
import dev.weir.gateway.query.Explained;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryRequest;
import java.util.List;
import java.util.Map;

/** Answers what the test put in; keeps what it was asked. */
final class FakeAdmissionView implements AdmissionView {

    volatile EngineCapacity capacity = EngineCapacity.UNBOUNDED;
    volatile List<EngineNode> workers = List.of();
    volatile AdmissionSnapshot snapshot;
    volatile List<RunTimeStats> history = List.of();
    volatile int most;
    volatile Explained explained;
    volatile QueryRequest request;
    volatile GatewayException refusal;
    volatile Map<String, ?> changes;
    volatile boolean persist;

    @Override
    public AdmissionSnapshot snapshot(Identity identity) {
        return snapshot;
    }

    @Override
    public EngineCapacity capacity() {
        return capacity;
    }

    @Override
    public List<EngineNode> workers(Identity identity) {
        if (refusal != null) {
            throw refusal;
        }
        return workers;
    }

    @Override
    public List<RunTimeStats> history(Identity identity, int wanted) {
        most = wanted;
        return history;
    }

    @Override
    public Explained explain(Identity identity, QueryRequest asked) {
        request = asked;
        return explained;
    }

    @Override
    public Map<String, Object> limits(Identity identity) {
        if (refusal != null) {
            throw refusal;
        }
        return Map.of("max-running", 4, "memory", Map.of("budget", "1GB"));
    }

    @Override
    public Map<String, Object> change(Identity identity, Map<String, ?> given, boolean write) {
        changes = given;
        persist = write;
        return limits(identity);
    }
}
