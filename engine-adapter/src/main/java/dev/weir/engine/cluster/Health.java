package dev.weir.engine.cluster;

import dev.weir.engine.EngineNode;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/**
 * What is believed about one worker. It takes several failures in a row to be down and several successes to be back;
 * one that comes back gets its share little by little, since whatever it broke on may still be there.
 *
 * <p>Guarded by the lock of {@link Members}.
 */
final class Health {

    private final ClusterSettings.Health policy;
    private final InstantSource clock;

    private EngineNode.State state = EngineNode.State.DOWN;
    private Instant since;
    private @Nullable String reason = "not asked yet";
    private boolean known;
    private int failures;
    private int successes;
    private boolean ramping;
    private long rampBegan;

    Health(ClusterSettings.Health policy, InstantSource clock) {
        this.policy = policy;
        this.clock = clock;
        this.since = clock.instant();
    }

    /**
     * A check succeeded.
     *
     * @param draining whether the worker said that it takes nothing new
     * @param restarted whether it is another process than before
     * @param now in nanoseconds
     */
    void answered(boolean draining, boolean restarted, long now) {
        failures = 0;
        successes++;
        if (draining) {
            enter(EngineNode.State.DRAINING, "draining");
            return;
        }
        if (!known) {
            // The first answer of all: there is nothing that it may have broken on.
            known = true;
            enter(EngineNode.State.HEALTHY, null);
            return;
        }
        switch (state) {
            case DOWN -> {
                if (successes >= policy.upAfter()) {
                    ramp("coming back", now);
                }
            }
            case DRAINING -> ramp("coming back", now);
            case HEALTHY, SUSPECT -> {
                if (restarted) {
                    ramp("was restarted", now);
                } else {
                    recover(now);
                }
            }
        }
    }

    private void recover(long now) {
        if (ramping ? now - rampBegan >= policy.rampUp().toNanos() : successes >= policy.upAfter()) {
            enter(EngineNode.State.HEALTHY, null);
        }
    }

    private void ramp(String why, long now) {
        enter(EngineNode.State.SUSPECT, why);
        ramping = true;
        rampBegan = now;
    }

    /** A check or a query failed in a way that says something about the worker. */
    void failed(String why) {
        successes = 0;
        failures++;
        if (state == EngineNode.State.DOWN) {
            reason = why;
        } else if (failures >= policy.downAfter() || ramping) {
            known = true;
            enter(EngineNode.State.DOWN, why);
        } else if (state == EngineNode.State.HEALTHY || state == EngineNode.State.SUSPECT) {
            enter(EngineNode.State.SUSPECT, why);
        }
    }

    private void enter(EngineNode.State next, @Nullable String why) {
        if (state != next) {
            state = next;
            since = clock.instant();
        }
        ramping = false;
        reason = why;
    }

    /** Part of its slots that it may have now, 0 to 1. */
    double share(long now) {
        return switch (state) {
            case HEALTHY -> 1;
            case DOWN, DRAINING -> 0;
            case SUSPECT ->
                ramping
                        ? Math.min(
                                1,
                                (double) (now - rampBegan)
                                        / Math.max(1, policy.rampUp().toNanos()))
                        : 1;
        };
    }

    /** Whether it may have queries. */
    boolean isUsable() {
        return state == EngineNode.State.HEALTHY || state == EngineNode.State.SUSPECT;
    }

    /** Whether it failed lately and gets queries only when no other can take them. */
    boolean isLastChoice() {
        return state == EngineNode.State.SUSPECT && !ramping;
    }

    /** Whether it is to be checked soon again: its state is about to change. */
    boolean isUnsettled() {
        return state == EngineNode.State.SUSPECT || (state == EngineNode.State.DOWN && successes > 0);
    }

    EngineNode.State state() {
        return state;
    }

    Instant since() {
        return since;
    }

    @Nullable
    String reason() {
        return reason;
    }
}
