package dev.weir.engine;

import org.jspecify.annotations.Nullable;

/**
 * Settings of a session, applied to the fresh connection of each of its queries.
 *
 * @param catalog default catalog, or null for the engine's
 * @param schema default schema, or null for the engine's
 * @param timeZone IANA zone for TIMESTAMPTZ, or null for UTC
 */
public record SessionSettings(
        @Nullable String catalog,
        @Nullable String schema,
        @Nullable String timeZone) {

    /** The engine's defaults. */
    public static final SessionSettings NONE = new SessionSettings(null, null, null);
}
