package dev.weir.engine.remote;

import java.time.Duration;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Where one worker is, and how it is spoken to.
 *
 * @param name for logs and messages
 * @param host name or address; also the name that its certificate must have
 * @param port TCP port
 * @param trust whom to believe about the worker's certificate; null for plaintext
 * @param secret shared with the worker
 * @param connectTimeout most time for a connection and for a worker's answer to a heartbeat
 * @param heartbeat how often an open query tells the worker that it is still wanted
 * @param resume how long a broken stream is tried to be resumed; zero for never
 */
public record RemoteSettings(
        String name,
        String host,
        int port,
        @Nullable TrustManager trust,
        byte[] secret,
        Duration connectTimeout,
        Duration heartbeat,
        Duration resume) {}
