package dev.weir.gateway.flightsql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.protobuf.ByteString;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The open prepared statements: bound to their user, bounded per user, closed when unused. Thread-safe. */
final class PreparedStatements {

    private final Cache<String, PreparedStatement> open;
    private final ConcurrentHashMap<String, Held> perUser = new ConcurrentHashMap<>();
    private final int maxPerUser;
    private final ByteBudget budget;

    PreparedStatements(int maxPerUser, Duration timeToLive, ByteBudget budget, Ticker ticker) {
        this.maxPerUser = maxPerUser;
        this.budget = budget;
        open = Caffeine.newBuilder()
                .expireAfterAccess(timeToLive)
                .ticker(ticker)
                .executor(Runnable::run)
                .<String, PreparedStatement>removalListener((handle, statement, cause) -> {
                    if (statement != null) {
                        closed(statement);
                    }
                })
                .build();
    }

    /** What a user has open: the number of statements, and the characters of their texts. */
    private record Held(int count, long characters) {

        static final Held NOTHING = new Held(0, 0);

        Held with(String sql) {
            return new Held(count + 1, characters + sql.length());
        }

        @Nullable
        Held without(String sql) {
            return count <= 1 ? null : new Held(count - 1, characters - sql.length());
        }
    }

    /**
     * One prepared statement: its text and the parameters bound last. Its description is asked anew at each use, so that
     * it is authorised each time.
     */
    static final class PreparedStatement {
        private final String user;
        private final Caller.SessionRef session;
        private final String sql;
        private final ByteString transaction;
        private ParameterPayload parameters = ParameterPayload.NONE;
        private boolean closed;

        PreparedStatement(String user, Caller.SessionRef session, String sql, ByteString transaction) {
            this.user = user;
            this.session = session;
            this.sql = sql;
            this.transaction = transaction;
        }

        /** What its execution asks for. */
        Statements.Statement asked() {
            return new Statements.Statement(sql, parameters(), transaction, true);
        }

        synchronized ParameterPayload parameters() {
            return parameters;
        }

        /** Whether it was prepared in that session. */
        boolean isOf(Caller.SessionRef other) {
            return matches(session.cookie(), other.cookie()) || matches(session.bearer(), other.bearer());
        }

        private static boolean matches(@Nullable String own, @Nullable String other) {
            return own != null && own.equals(other);
        }
    }

    /**
     * @param transaction that it was prepared in; empty for none
     * @return the new statement's handle
     * @throws GatewayException USER_LIMIT when the user has as many as allowed, or as much text in them
     */
    ByteString open(Caller caller, String sql, ByteString transaction) {
        Held held = count(caller.user(), sql);
        if (held != null) {
            // Expired statements leave lazily: let them go before anyone is refused for them.
            open.cleanUp();
            held = count(caller.user(), sql);
            if (held != null) {
                throw refused(held);
            }
        }
        String handle = UUID.randomUUID().toString();
        open.put(handle, new PreparedStatement(caller.user(), caller.session(), sql, transaction));
        return ByteString.copyFromUtf8(handle);
    }

    /**
     * @throws GatewayException NOT_FOUND when there is none of this handle and user
     */
    PreparedStatement get(ByteString handle, Caller caller) {
        PreparedStatement statement = open.getIfPresent(handle.toStringUtf8());
        if (statement == null || !statement.user.equals(caller.user())) {
            throw new GatewayException(
                    GatewayErrorCode.NOT_FOUND,
                    "There is no such prepared statement; it was closed, or expired unused.");
        }
        return statement;
    }

    /** Replaces the statement's parameters; their bytes, taken from the budget already, are given back by this class. */
    void bind(PreparedStatement statement, ParameterPayload parameters) {
        long freed;
        synchronized (statement) {
            if (statement.closed) {
                freed = parameters.size();
            } else {
                freed = statement.parameters.size();
                statement.parameters = parameters;
            }
        }
        budget.giveBack(freed);
    }

    /** Closes one; a handle that is not known, or another user's, is ignored. */
    void close(ByteString handle, Caller caller) {
        String key = handle.toStringUtf8();
        PreparedStatement statement = open.getIfPresent(key);
        if (statement != null && statement.user.equals(caller.user())) {
            open.invalidate(key);
        }
    }

    /** Closes all that were prepared in the caller's session. */
    void closeSession(Caller caller) {
        open.asMap()
                .values()
                .removeIf(statement -> statement.user.equals(caller.user()) && statement.isOf(caller.session()));
    }

    long count() {
        open.cleanUp();
        return open.estimatedSize();
    }

    private GatewayException refused(Held held) {
        if (held.count() >= maxPerUser) {
            return new GatewayException(
                    GatewayErrorCode.USER_LIMIT,
                    "You have " + maxPerUser
                            + " open prepared statements, the most allowed (weir.flight.max-prepared-statements);"
                            + " close some.",
                    ErrorDetails.ofLimit("user", "flight.max-prepared-statements", Integer.toString(maxPerUser)));
        }
        long most = FlightSqlSettings.MAX_PREPARED_CHARACTERS;
        return new GatewayException(
                GatewayErrorCode.USER_LIMIT,
                "Your open prepared statements may hold " + most + " characters of text; close some.",
                ErrorDetails.ofLimit("user", "characters of prepared statements", Long.toString(most)));
    }

    /** Counts one more; null when it was, else what the user holds, which leaves no room for it. */
    private @Nullable Held count(String user, String sql) {
        Held[] full = new Held[1];
        perUser.compute(user, (name, now) -> {
            Held held = now == null ? Held.NOTHING : now;
            if (held.count() < maxPerUser
                    && held.characters() + sql.length() <= FlightSqlSettings.MAX_PREPARED_CHARACTERS) {
                return held.with(sql);
            }
            full[0] = held;
            return now;
        });
        return full[0];
    }

    private void closed(PreparedStatement statement) {
        long freed;
        synchronized (statement) {
            freed = statement.parameters.size();
            statement.parameters = ParameterPayload.NONE;
            statement.closed = true;
        }
        budget.giveBack(freed);
        perUser.computeIfPresent(statement.user, (name, now) -> now.without(statement.sql));
    }
}
