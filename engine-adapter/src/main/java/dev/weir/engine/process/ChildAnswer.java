package dev.weir.engine.process;

import dev.weir.engine.EngineInfo;
import org.jspecify.annotations.Nullable;

/**
 * A child's one line on its standard output: that it is ready, or why not.
 *
 * @param port where it listens; 0 when it failed
 * @param engine what it runs; null when it failed
 * @param setting the setting at fault, in the words of the gateway's properties; null when it is ready
 * @param message what is wrong; null when it is ready
 */
record ChildAnswer(
        int port,
        @Nullable EngineInfo engine,
        @Nullable String setting,
        @Nullable String message) {

    static ChildAnswer ready(int port, EngineInfo engine) {
        return new ChildAnswer(port, engine, null, null);
    }

    static ChildAnswer failed(String setting, String message) {
        return new ChildAnswer(0, null, setting, message);
    }
}
