package dev.weir.gateway.query;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.Access;
import dev.weir.engine.StatementScan;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/** What a request must satisfy before it may ask for a permit. */
final class RequestChecks {

    /** No query runs in less; a reservation of a few bytes is a mistyped unit, or a way around the budget. */
    private static final long MIN_MEMORY = 1 << 20;

    private static final int MAX_TAGS = 16;
    private static final int MAX_TAG_KEY = 64;
    private static final int MAX_TAG_VALUE = 256;

    private RequestChecks() {}

    static Access access(Role role) {
        return switch (role) {
            case READER -> Access.READ;
            case WRITER -> Access.WRITE;
            case ADMIN -> Access.ADMIN;
        };
    }

    static void check(
            Identity identity,
            Access access,
            StatementScan scan,
            QueryRequest request,
            QueryLimits.Clocks limits,
            boolean inSession) {
        checkStatement(identity, access, scan, inSession);
        request.statementTimeout()
                .ifPresent(asked -> checkTimeout("statement-timeout", asked, limits.statementTimeout()));
        request.queueTimeout().ifPresent(asked -> checkTimeout("queue-timeout", asked, limits.queueTimeout()));
        if (request.memoryBytes().isPresent() && request.memoryBytes().getAsLong() < MIN_MEMORY) {
            throw invalid("The memory asked for must be at least 1MB.");
        }
        checkTags(request.tags());
    }

    static void checkStatement(Identity identity, Access access, StatementScan scan, boolean inSession) {
        if (scan.session() != null && !inSession) {
            throw invalid("Transactions, SET, USE and temporary objects need a session, which HTTP does not have. Use"
                    + " Flight SQL with a client that keeps its bearer token or its cookies, as the JDBC and ADBC drivers"
                    + " do; SetSessionOptions and BeginTransaction open a session, too.");
        }
        if (!access.covers(scan.needs())) {
            String what = switch (scan.kind()) {
                // Reads need more only for what they call or explain.
                case QUERY, SHOW -> "A function or catalog table that tells of the server, or acts on it,";
                case EXPLAIN -> "Explaining this statement";
                default -> "A statement of the kind " + scan.kind();
            };
            throw forbidden(identity, what, scan.needs());
        }
    }

    static GatewayException forbidden(Identity identity, String what, Access needs) {
        String needed = switch (needs) {
            case READ -> "reader";
            case WRITE -> "writer";
            case ADMIN -> "admin";
        };
        return new GatewayException(
                GatewayErrorCode.FORBIDDEN,
                what + " needs the role " + needed + "; the user has the role "
                        + identity.role().name().toLowerCase(Locale.ROOT) + ".");
    }

    private static void checkTimeout(String name, Duration asked, Duration maximum) {
        if (asked.isNegative() || asked.isZero()) {
            throw invalid("The " + name + " asked for must be positive.");
        }
        if (asked.compareTo(maximum) > 0) {
            throw new GatewayException(
                    GatewayErrorCode.INVALID_REQUEST,
                    "The " + name + " asked for (" + asked.toMillis() + " ms) is more than the configured "
                            + maximum.toMillis() + " ms; ask for less.",
                    ErrorDetails.ofLimit("query", name, maximum.toMillis() + " ms"));
        }
    }

    private static void checkTags(Map<String, String> tags) {
        // The trace is a header's, not a tag of the caller's choice.
        int counted = tags.size() - (tags.containsKey(QueryRequest.TRACE_PARENT) ? 1 : 0);
        if (counted > MAX_TAGS) {
            throw invalid("At most " + MAX_TAGS + " tags are allowed.");
        }
        tags.forEach((key, value) -> {
            if (key.isEmpty() || key.length() > MAX_TAG_KEY || value.length() > MAX_TAG_VALUE) {
                throw invalid("A tag's key has 1 to " + MAX_TAG_KEY + " characters, its value at most " + MAX_TAG_VALUE
                        + ".");
            }
        });
    }

    private static GatewayException invalid(String message) {
        return new GatewayException(GatewayErrorCode.INVALID_REQUEST, message);
    }

    /** @param what the beginning of the message, as in "A drain needs" */
    static void requireAdmin(Identity identity, String what) {
        if (!identity.role().includes(Role.ADMIN)) {
            throw new GatewayException(
                    GatewayErrorCode.FORBIDDEN,
                    what + " the role admin; the user has the role "
                            + identity.role().name().toLowerCase(Locale.ROOT) + ".");
        }
    }
}
