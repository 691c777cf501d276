package dev.weir.engine.duckdb;

import org.apache.arrow.memory.BufferAllocator;

/** What every call of one engine shares. */
record EngineCore(QueryConnections connections, EngineThreads threads, Reaper reaper, BufferAllocator memory) {}
