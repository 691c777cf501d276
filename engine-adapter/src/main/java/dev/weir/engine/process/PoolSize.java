package dev.weir.engine.process;

import java.time.Duration;

/**
 * How many, and what for.
 *
 * @param slots most queries, short ones included
 * @param shortSlots most short ones among them
 * @param warm children kept ready or in use
 * @param request what each child is started for, but for the database's version
 * @param startsAtOnce most children that are starting at once
 * @param patience longest wait for a child to be ready
 */
record PoolSize(int slots, int shortSlots, int warm, ChildRequest request, int startsAtOnce, Duration patience) {}
