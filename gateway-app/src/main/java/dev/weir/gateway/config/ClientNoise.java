package dev.weir.gateway.config;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/**
 * Keeps two warnings out of the log that any client can cause as often as it likes, each with a stack trace or the
 * request's head, and that ask nothing of an operator: a Flight SQL stream whose client left in the middle, and a
 * request that is no HTTP, which its sender is told. All other warnings of the same loggers stay, and at DEBUG these.
 * Thread-safe.
 */
final class ClientNoise extends TurboFilter {

    private static final String GRPC = "io.grpc.netty.NettyServerHandler";
    private static final String HTTP = "reactor.netty.http.server.HttpServerOperations";

    /** Puts it into the ordinary log, where that is Logback's; once, however many gateways a process starts. */
    static void install() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            synchronized (ClientNoise.class) {
                if (context.getTurboFilterList().stream().noneMatch(ClientNoise.class::isInstance)) {
                    ClientNoise filter = new ClientNoise();
                    filter.setContext(context);
                    filter.setName("weir.client-noise");
                    filter.start();
                    context.addTurboFilter(filter);
                }
            }
        }
    }

    @Override
    public FilterReply decide(
            @Nullable Marker marker,
            Logger logger,
            Level level,
            @Nullable String format,
            @Nullable Object @Nullable [] parameters,
            @Nullable Throwable thrown) {
        boolean noise = level.equals(Level.WARN)
                && format != null
                && (isLostStream(logger, format, thrown) || isNoHttp(logger, format))
                && logger.getEffectiveLevel().toInt() > Level.DEBUG_INT;
        return noise ? FilterReply.DENY : FilterReply.NEUTRAL;
    }

    /** Other errors of a stream have the same text, but another cause. */
    private static boolean isLostStream(Logger logger, String format, @Nullable Throwable thrown) {
        return logger.getName().equals(GRPC)
                && format.equals("Stream Error")
                && thrown != null
                && "Stream closed before write could take place".equals(thrown.getMessage());
    }

    private static boolean isNoHttp(Logger logger, String format) {
        // The connection stands before it.
        return logger.getName().equals(HTTP) && format.endsWith("Decoding failed: {}");
    }
}
