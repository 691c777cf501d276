package dev.weir.gateway.flightsql;

import dev.weir.engine.SessionSettings;

/** A client's session: settings that its statements start from. Thread-safe. */
final class FlightSession {

    /**
     * Everything a session sets; replaced as a whole.
     *
     * @param settings of the engine
     * @param options limits asked for
     */
    record Settings(SessionSettings settings, RequestOptions options) {
        static final Settings NONE = new Settings(SessionSettings.NONE, RequestOptions.NONE);
    }

    private final String id;
    private final String user;
    private volatile Settings settings = Settings.NONE;

    FlightSession(String id, String user) {
        this.id = id;
        this.user = user;
    }

    String id() {
        return id;
    }

    String user() {
        return user;
    }

    Settings settings() {
        return settings;
    }

    void settings(Settings value) {
        settings = value;
    }
}
