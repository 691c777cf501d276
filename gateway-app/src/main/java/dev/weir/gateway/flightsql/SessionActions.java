package dev.weir.gateway.flightsql;

import dev.weir.engine.SessionSettings;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.arrow.flight.impl.Flight.CloseSessionResult;
import org.apache.arrow.flight.impl.Flight.GetSessionOptionsResult;
import org.apache.arrow.flight.impl.Flight.SessionOptionValue;
import org.apache.arrow.flight.impl.Flight.SetSessionOptionsRequest;
import org.apache.arrow.flight.impl.Flight.SetSessionOptionsResult;
import org.apache.arrow.flight.impl.Flight.SetSessionOptionsResult.ErrorValue;
import org.jspecify.annotations.Nullable;

/** Set, get and close: the actions on a session. */
final class SessionActions {

    static final String CATALOG = "catalog";
    static final String SCHEMA = "schema";
    static final String TIME_ZONE = "timeZone";

    private final FlightSessions sessions;
    private final PreparedStatements prepared;
    private final QueryService queries;

    SessionActions(FlightSessions sessions, PreparedStatements prepared, QueryService queries) {
        this.sessions = sessions;
        this.prepared = prepared;
        this.queries = queries;
    }

    /**
     * Sets what can be set and names the options that cannot, as the protocol has it. A catalog or schema is tried out
     * before it is taken, so that a wrong name fails here and not at every later statement.
     */
    CompletionStage<SetSessionOptionsResult> set(Caller caller, SetSessionOptionsRequest request) {
        SetSessionOptionsResult.Builder result = SetSessionOptionsResult.newBuilder();
        FlightSession session = sessions.open(caller);
        FlightSession.Settings before = session.settings();
        FlightSession.Settings wanted = before;
        Map<String, SessionOptionValue> places = new HashMap<>();
        for (Map.Entry<String, SessionOptionValue> option :
                request.getSessionOptionsMap().entrySet()) {
            try {
                wanted = with(wanted, option.getKey(), textOf(option.getValue()));
                if (option.getKey().equals(CATALOG) || option.getKey().equals(SCHEMA)) {
                    places.put(option.getKey(), option.getValue());
                }
            } catch (UnknownOptionException e) {
                result.putErrors(option.getKey(), error(ErrorValue.INVALID_NAME));
            } catch (DateTimeException | GatewayException e) {
                result.putErrors(option.getKey(), error(ErrorValue.INVALID_VALUE));
            }
        }
        FlightSession.Settings target =
                places.containsKey(CATALOG) && !places.containsKey(SCHEMA) ? withoutSchema(wanted) : wanted;
        if (target.settings().equals(before.settings()) || places.isEmpty()) {
            session.settings(target);
            return CompletableFuture.completedFuture(result.build());
        }
        return queries.describe(caller.identity(), "SELECT 1", target.settings())
                .handle((description, failure) -> {
                    if (failure == null) {
                        session.settings(target);
                    } else {
                        SessionSettings kept = before.settings();
                        session.settings(new FlightSession.Settings(
                                new SessionSettings(
                                        kept.catalog(),
                                        kept.schema(),
                                        target.settings().timeZone()),
                                target.options()));
                        ErrorValue error = isUnknownName(failure) ? ErrorValue.INVALID_VALUE : ErrorValue.ERROR;
                        places.keySet().forEach(name -> result.putErrors(name, error(error)));
                    }
                    return result.build();
                });
    }

    GetSessionOptionsResult get(Caller caller) {
        FlightSession.Settings settings = sessions.settingsOf(caller);
        GetSessionOptionsResult.Builder result = GetSessionOptionsResult.newBuilder();
        put(result, CATALOG, settings.settings().catalog());
        put(result, SCHEMA, settings.settings().schema());
        put(result, TIME_ZONE, settings.settings().timeZone());
        RequestOptions options = settings.options();
        RequestOptions.NAMES.forEach(name -> put(result, name, options.text(name)));
        return result.build();
    }

    CloseSessionResult close(Caller caller) {
        prepared.closeSession(caller);
        sessions.close(caller);
        return CloseSessionResult.newBuilder()
                .setStatus(CloseSessionResult.Status.CLOSED)
                .build();
    }

    /** No such option. */
    private static final class UnknownOptionException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static FlightSession.Settings with(FlightSession.Settings before, String name, @Nullable String value) {
        SessionSettings settings = before.settings();
        return switch (name) {
            case CATALOG -> {
                SessionSettings changed = new SessionSettings(value, settings.schema(), settings.timeZone());
                yield new FlightSession.Settings(changed, before.options());
            }
            case SCHEMA -> {
                SessionSettings changed = new SessionSettings(settings.catalog(), value, settings.timeZone());
                yield new FlightSession.Settings(changed, before.options());
            }
            case TIME_ZONE -> {
                String zone = value == null ? null : ZoneId.of(value).getId();
                SessionSettings changed = new SessionSettings(settings.catalog(), settings.schema(), zone);
                yield new FlightSession.Settings(changed, before.options());
            }
            case RequestOptions.TIMEOUT,
                    RequestOptions.QUEUE_TIMEOUT,
                    RequestOptions.MEMORY,
                    RequestOptions.CLASS,
                    RequestOptions.PRIORITY,
                    RequestOptions.PARTITIONS,
                    RequestOptions.BATCH_NUMBERS,
                    RequestOptions.COMPRESSION ->
                new FlightSession.Settings(settings, before.options().with(name, value));
            default -> throw new UnknownOptionException();
        };
    }

    /** The schema belonged to the catalog before. */
    private static FlightSession.Settings withoutSchema(FlightSession.Settings settings) {
        SessionSettings all = settings.settings();
        return new FlightSession.Settings(new SessionSettings(all.catalog(), null, all.timeZone()), settings.options());
    }

    /** No value, and empty text, take an option away. */
    private static @Nullable String textOf(SessionOptionValue value) {
        String text = switch (value.getOptionValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT64_VALUE -> Long.toString(value.getInt64Value());
            case OPTIONVALUE_NOT_SET -> "";
            default -> throw FlightErrors.invalidRequest("Options are texts.");
        };
        return text.isEmpty() ? null : text;
    }

    private static boolean isUnknownName(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof GatewayException gateway
                && switch (gateway.code()) {
                    case INVALID_SQL, INVALID_REQUEST, NOT_FOUND, EXECUTION_FAILED, FORBIDDEN -> true;
                    default -> false;
                };
    }

    private static SetSessionOptionsResult.Error error(ErrorValue value) {
        return SetSessionOptionsResult.Error.newBuilder().setValue(value).build();
    }

    private static void put(GetSessionOptionsResult.Builder result, String name, @Nullable String value) {
        if (value != null) {
            result.putSessionOptions(
                    name, SessionOptionValue.newBuilder().setStringValue(value).build());
        }
    }
}
