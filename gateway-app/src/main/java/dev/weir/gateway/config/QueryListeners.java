package dev.weir.gateway.config;

import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.QueryListener;
import dev.weir.gateway.query.QuerySnapshot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Several listeners as one, told in their order. */
final class QueryListeners implements QueryListener {

    private final List<QueryListener> all;

    QueryListeners(List<QueryListener> all) {
        this.all = all;
    }

    @Override
    public void submitted(QuerySnapshot query) {
        all.forEach(listener -> listener.submitted(query));
    }

    /** @return of the first that traces */
    @Override
    public @Nullable String begun(QuerySnapshot query) {
        String first = null;
        for (QueryListener listener : all) {
            String told = listener.begun(query);
            first = first == null ? told : first;
        }
        return first;
    }

    @Override
    public void decided(String queryId, AdmissionTrail.Step step) {
        all.forEach(listener -> listener.decided(queryId, step));
    }

    @Override
    public void opened(String queryId) {
        all.forEach(listener -> listener.opened(queryId));
    }

    @Override
    public void done(QuerySnapshot query) {
        all.forEach(listener -> listener.done(query));
    }
}
