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

    /**
     * Reads a URL; {@code https} is meant when no scheme is given.
     *
     * @throws IllegalArgumentException when it is no URL of a gateway; the message says why
     */
    public static Target parse(String url) {
        String text = url.contains("://") ? url : "https://" + url;
        try {
            URI uri = new URI(text.replaceAll("/+$", ""));
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            if (!scheme.equals("https") && !scheme.equals("http")) {
                throw new IllegalArgumentException(
                        "the URL must start with https:// or http://, not " + scheme + "://");
            }
            if (uri.getHost() == null || uri.getUserInfo() != null || uri.getQuery() != null) {
                throw new IllegalArgumentException("the URL must be like https://HOST:PORT, not " + url);
            }
            return new Target(uri);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("not a URL: " + url, e);
        }
    }

    public boolean isEncrypted() {
        return "https".equalsIgnoreCase(base.getScheme());
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
