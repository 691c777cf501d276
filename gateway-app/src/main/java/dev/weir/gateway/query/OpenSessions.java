package dev.weir.gateway.query;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The open sessions, bounded per user. Thread-safe. */
final class OpenSessions {

    private final ConcurrentHashMap<String, Integer> perUser = new ConcurrentHashMap<>();
    private final Set<DefaultQuerySession> open = ConcurrentHashMap.newKeySet();
    private final int maxPerUser;

    OpenSessions(int maxPerUser) {
        this.maxPerUser = maxPerUser;
    }

    /** @throws GatewayException USER_LIMIT when the user has as many as allowed */
    void count(String user) {
        boolean[] counted = new boolean[1];
        perUser.compute(user, (name, now) -> {
            int held = now == null ? 0 : now;
            counted[0] = held < maxPerUser;
            return counted[0] ? Integer.valueOf(held + 1) : now;
        });
        if (!counted[0]) {
            throw new GatewayException(
                    GatewayErrorCode.USER_LIMIT,
                    "You have " + maxPerUser
                            + " open sessions, the most allowed (weir.session.max-per-user); close some connections.",
                    ErrorDetails.ofLimit("user", "session.max-per-user", Integer.toString(maxPerUser)));
        }
    }

    void add(DefaultQuerySession session) {
        open.add(session);
    }

    void closed(DefaultQuerySession session) {
        if (open.remove(session)) {
            perUser.computeIfPresent(session.user(), (name, now) -> now <= 1 ? null : now - 1);
        }
    }

    int size() {
        return open.size();
    }
}
