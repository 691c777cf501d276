package dev.weir.admission;

import java.time.Duration;
import java.util.Optional;

/**
 * How a waiting query stands.
 *
 * @param position its place in the order of turns, from 1
 * @param reason the limit that holds it
 * @param waited how long it has waited
 * @param predictedWait how long it will still wait, from measured run times; empty while nothing was measured
 */
public record WaitInfo(int position, WaitReason reason, Duration waited, Optional<Duration> predictedWait) {}
