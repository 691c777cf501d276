package dev.weir.gateway.cli.query;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

/**
 * Where the gateway is: scheme, host and port, and a path when a proxy put one before it.
 *
 * @param base without a trailing slash
 */
public record Target(URI base) {

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]", "[0:0:0:0:0:0:0:1]");

    private static final int FLIGHT_PORT = 31337;

    /**
     * Reads a URL of the HTTP front; {@code https} is meant when no scheme is given.
     *
     * @throws IllegalArgumentException when it is no URL of a gateway; the message says why
     */
    public static Target parse(String url) {
        return parse(url, "https", "http");
    }

    /** Reads a URL of the Flight SQL front, {@code grpc+tls://HOST:PORT} or {@code grpc://HOST:PORT}, likewise. */
    public static Target parseFlight(String url) {
        return parse(url, "grpc+tls", "grpc");
    }

    private static Target parse(String url, String encrypted, String plain) {
        String text = url.contains("://") ? url : encrypted + "://" + url;
        try {
            URI uri = new URI(text.replaceAll("/+$", ""));
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            if (!scheme.equals(encrypted) && !scheme.equals(plain)) {
                throw new IllegalArgumentException(
                        "the URL must start with " + encrypted + ":// or " + plain + "://, not " + scheme + "://");
            }
            if (uri.getHost() == null || uri.getUserInfo() != null || uri.getQuery() != null) {
                throw new IllegalArgumentException("the URL must be like " + encrypted + "://HOST:PORT, not " + url);
            }
            return new Target(uri);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL: " + url, e);
        }
    }

    public boolean isEncrypted() {
        return encryptedScheme().equalsIgnoreCase(base.getScheme());
    }

    /** The scheme that is the same with TLS. */
    String encryptedScheme() {
        return base.getScheme().toLowerCase(Locale.ROOT).startsWith("grpc") ? "grpc+tls" : "https";
    }

    /** Of the Flight SQL front. */
    int port() {
        return base.getPort() < 0 ? FLIGHT_PORT : base.getPort();
    }

    /** Whether it is this machine, by name or address. */
    public boolean isLoopback() {
        return LOOPBACK.contains(host().toLowerCase(Locale.ROOT)) || host().startsWith("127.");
    }

    String host() {
        return Objects.requireNonNull(base.getHost());
    }

    URI resolve(String path) {
        return URI.create(base + path);
    }
}
