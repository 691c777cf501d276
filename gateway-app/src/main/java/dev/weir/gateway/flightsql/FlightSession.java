package dev.weir.gateway.flightsql;

import dev.weir.admission.Priority;
import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.QueryRequest;
import dev.weir.gateway.query.QuerySession;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A client's session: the service's, the limits that its statements ask for, and how it is known. Thread-safe. */
final class FlightSession {

    /**
     * Everything a session sets; replaced as a whole.
     *
     * @param settings of the engine
     * @param options limits asked for
     */
    record Settings(SessionSettings settings, RequestOptions options) {
        static final Settings NONE = new Settings(SessionSettings.NONE, RequestOptions.NONE);

        /** These, where the call's own headers ask for nothing. */
        Settings under(RequestOptions headers) {
            return new Settings(settings, headers.or(options));
        }

        /** A statement under these settings. */
        QueryRequest request(String sql, List<? extends List<? extends @Nullable Object>> rows) {
            Caller caller = Caller.currentOrNull();
            return new QueryRequest(
                    Front.FLIGHT_SQL,
                    sql,
                    rows,
                    settings,
                    options.statementTimeout(),
                    options.queueTimeout(),
                    options.memoryBytes(),
                    options.priority().orElse(Priority.NORMAL),
                    options.heavy(),
                    caller == null ? Map.of() : caller.call().tags());
        }
    }

    private final String id;
    private final String user;
    private final QuerySession query;
    private volatile RequestOptions options = RequestOptions.NONE;

    FlightSession(String id, String user, QuerySession query) {
        this.id = id;
        this.user = user;
        this.query = query;
    }

    String id() {
        return id;
    }

    String user() {
        return user;
    }

    /** What runs its statements; closed with the session. */
    QuerySession query() {
        return query;
    }

    Settings settings() {
        return new Settings(query.settings(), options);
    }

    void settings(Settings value) {
        query.settings(value.settings());
        options = value.options();
    }
}
