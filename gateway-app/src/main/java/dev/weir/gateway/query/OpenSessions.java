package dev.weir.gateway.query;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The open sessions, bounded per user. Thread-safe. */
final class OpenSessions {

    private final ConcurrentHashMap<String, Integer> perUser = new ConcurrentHashMap<>();
    private final Set<DefaultQuerySession> open = ConcurrentHashMap.newKeySet();
    private final LongAdder idleEnds = new LongAdder();
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

    /** A transaction was ended since it was idle for too long. */
    void idled() {
        idleEnds.increment();
    }

    SessionFigures figures() {
        int transactions = 0;
        int pinned = 0;
        int sessions = 0;
        for (DefaultQuerySession session : open) {
            sessions++;
            transactions += session.inTransaction() ? 1 : 0;
            pinned += session.holdsConnection() ? 1 : 0;
        }
        return new SessionFigures(sessions, transactions, pinned, idleEnds.sum());
    }

    int size() {
        return open.size();
    }
}
