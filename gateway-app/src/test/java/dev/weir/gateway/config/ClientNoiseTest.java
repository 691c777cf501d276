package dev.weir.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LocationAwareLogger;

/** The two warnings that clients cause at will are dropped; whatever else the same loggers say stays. */
class ClientNoiseTest {

    private static final String GRPC = "io.grpc.netty.NettyServerHandler";
    private static final String HTTP = "reactor.netty.http.server.HttpServerOperations";
    private static final String DECODING = "[1fe975be, L:/127.0.0.1:40199 - R:/127.0.0.1:41452] Decoding failed: {}";

    private final LoggerContext context = new LoggerContext();
    private final ListAppender<ILoggingEvent> seen = new ListAppender<>();
    private final Throwable left =
            Http2Exception.streamError(3, Http2Error.INTERNAL_ERROR, "Stream closed before write could take place");

    @BeforeEach
    void start() {
        context.setMDCAdapter(new LogbackMDCAdapter());
        seen.setContext(context);
        seen.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(seen);
        ClientNoise filter = new ClientNoise();
        filter.setContext(context);
        filter.start();
        context.addTurboFilter(filter);
    }

    @Test
    void aClientThatLeavesAStreamIsNoNews() {
        context.getLogger(GRPC).warn("Stream Error", left);
        // As java.util.logging's bridge calls it.
        context.getLogger(GRPC).log(null, "bridge", LocationAwareLogger.WARN_INT, "Stream Error", null, left);
        assertThat(seen.list).isEmpty();
    }

    @Test
    void otherTroubleOfAStreamStays() {
        Logger grpc = context.getLogger(GRPC);
        grpc.warn(
                "Stream Error",
                Http2Exception.streamError(3, Http2Error.FLOW_CONTROL_ERROR, "Flow control window exceeded"));
        grpc.warn("Stream Error");
        grpc.warn("Exception in onDataRead()", left);
        grpc.error("Stream Error", left);
        context.getLogger("io.grpc.netty.NettyServerTransport").warn("Stream Error", left);
        assertThat(seen.list).hasSize(5);
    }

    @Test
    void aRequestThatIsNoHttpIsNoNews() {
        context.getLogger(HTTP).warn(DECODING, "REQUEST(...)");
        context.getLogger(HTTP).warn(DECODING, new Object[] {"REQUEST(...)", new IllegalArgumentException("x")});
        assertThat(seen.list).isEmpty();
    }

    @Test
    void otherTroubleOfTheServerStays() {
        Logger http = context.getLogger(HTTP);
        http.warn("[1fe975be] Dropped HTTP content, since response has been sent already: {}", "x");
        http.error(DECODING, "x");
        http.error("Error finishing response. Closing connection", left);
        context.getLogger("reactor.netty.http.server.HttpServer").warn(DECODING, "x");
        assertThat(seen.list).hasSize(4);
    }

    @Test
    void whoDebugsTheLoggerSeesThem() {
        context.getLogger(HTTP).setLevel(Level.DEBUG);
        context.getLogger(HTTP).warn(DECODING, "x");
        context.getLogger(GRPC).warn("Stream Error", left);
        assertThat(seen.list).extracting(ILoggingEvent::getLoggerName).containsExactly(HTTP);
        assertThat(context.getLogger(GRPC).isWarnEnabled()).isTrue();
    }

    @Test
    void itIsInstalledOnce() {
        ClientNoise.install();
        ClientNoise.install();
        LoggerContext ordinary = (LoggerContext) LoggerFactory.getILoggerFactory();
        assertThat(ordinary.getTurboFilterList())
                .filteredOn(ClientNoise.class::isInstance)
                .hasSize(1);
    }
}
