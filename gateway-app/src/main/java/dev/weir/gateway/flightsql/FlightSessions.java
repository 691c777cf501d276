package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryService;
import io.grpc.Metadata;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open sessions. A session is found by the cookie that was set when it was made, or, for clients that keep no
 * cookies, by the bearer of its connection. It belongs to its user. Thread-safe.
 */
final class FlightSessions {

    static final String COOKIE_NAME = "arrow_flight_session_id";
    static final Metadata.Key<String> COOKIE = Metadata.Key.of("cookie", Metadata.ASCII_STRING_MARSHALLER);
    static final Metadata.Key<String> SET_COOKIE = Metadata.Key.of("set-cookie", Metadata.ASCII_STRING_MARSHALLER);

    private static final int MAX_SESSIONS = 10_000;

    private final SecureRandom random = new SecureRandom();
    private final QueryService queries;
    private final Cache<String, FlightSession> byId;
    private final Map<String, FlightSession> byBearer = new ConcurrentHashMap<>();

    FlightSessions(QueryService queries, Duration timeToLive, Ticker ticker) {
        this.queries = queries;
        byId = Caffeine.newBuilder()
                .expireAfterAccess(timeToLive)
                .maximumSize(MAX_SESSIONS)
                .ticker(ticker)
                .executor(Runnable::run)
                .<String, FlightSession>removalListener((id, session, cause) -> {
                    if (session != null) {
                        closed(session);
                    }
                })
                .build();
    }

    private void closed(FlightSession session) {
        byBearer.values().removeIf(other -> other == session);
        session.query().close();
    }

    /**
     * Where a call's session may be found.
     *
     * @param bearer that the client sent, or is given in this call's answer
     * @param shown whether the client sent it
     */
    static Caller.SessionRef refOf(Metadata headers, @Nullable String bearer, boolean shown) {
        return new Caller.SessionRef(cookieOf(headers), bearer == null ? null : hash(bearer), shown);
    }

    /** The caller's session, if it has one. */
    @Nullable
    FlightSession find(Caller caller) {
        FlightSession session = find(caller.session().cookie(), caller.user());
        if (session != null || caller.session().bearer() == null) {
            return session;
        }
        FlightSession known = byBearer.get(caller.session().bearer());
        return known == null ? null : find(known.id(), caller.user());
    }

    /** The session of that id, if it is the user's. */
    @Nullable
    FlightSession find(@Nullable String id, String user) {
        FlightSession session = id == null ? null : byId.getIfPresent(id);
        return session != null && session.user().equals(user) ? session : null;
    }

    /** What the caller's statements start from. */
    FlightSession.Settings settingsOf(Caller caller) {
        FlightSession session = find(caller);
        return session == null ? FlightSession.Settings.NONE : session.settings();
    }

    /**
     * The caller's session, made when it has none; its cookie goes out with the answer.
     *
     * @throws GatewayException USER_LIMIT when the user has as many as allowed
     */
    FlightSession open(Caller caller) {
        FlightSession session = find(caller);
        if (session != null) {
            return session;
        }
        byte[] id = new byte[18];
        random.nextBytes(id);
        // Expired ones leave lazily: let them go before anyone is refused for them.
        expire();
        session = new FlightSession(
                Base64.getUrlEncoder().withoutPadding().encodeToString(id),
                caller.user(),
                queries.openSession(caller.identity()));
        byId.put(session.id(), session);
        if (caller.session().bearer() != null) {
            byBearer.put(caller.session().bearer(), session);
        }
        caller.call().header(SET_COOKIE, COOKIE_NAME + "=" + session.id());
        return session;
    }

    /** Ends the caller's session, if it has one, and takes its cookie back. */
    void close(Caller caller) {
        FlightSession session = find(caller);
        if (session != null) {
            byId.invalidate(session.id());
        }
        if (caller.session().cookie() != null) {
            caller.call().header(SET_COOKIE, COOKIE_NAME + "=closed; Max-Age=0");
        }
    }

    /** Closes those that were not used for too long; called again and again. */
    void expire() {
        byId.cleanUp();
    }

    /** Closes all. */
    void closeAll() {
        byId.invalidateAll();
    }

    long count() {
        byId.cleanUp();
        return byId.estimatedSize();
    }

    private static @Nullable String cookieOf(Metadata headers) {
        Iterable<String> values = headers.getAll(COOKIE);
        if (values == null) {
            return null;
        }
        for (String header : values) {
            for (String cookie : header.split(";", -1)) {
                int equals = cookie.indexOf('=');
                if (equals > 0 && cookie.substring(0, equals).trim().equals(COOKIE_NAME)) {
                    String value = cookie.substring(equals + 1).trim();
                    return value.length() > 1 && value.startsWith("\"") && value.endsWith("\"")
                            ? value.substring(1, value.length() - 1)
                            : value;
                }
            }
        }
        return null;
    }

    private static String hash(String bearer) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(bearer.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
