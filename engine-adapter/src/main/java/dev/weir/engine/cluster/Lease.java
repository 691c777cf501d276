package dev.weir.engine.cluster;

import dev.weir.engine.QueryEngine;
import java.util.concurrent.atomic.AtomicBoolean;

/** A slot and memory of one worker, held by one query. Thread-safe. */
final class Lease {

    private final Members members;
    private final Member member;
    private final long memory;
    private final AtomicBoolean released = new AtomicBoolean();

    Lease(Members members, Member member, long memory) {
        this.members = members;
        this.member = member;
        this.memory = memory;
    }

    Member member() {
        return member;
    }

    QueryEngine engine() {
        return member.link.engine();
    }

    /** Gives both back. Idempotent. */
    void release() {
        if (released.compareAndSet(false, true)) {
            members.release(member, memory);
        }
    }
}
