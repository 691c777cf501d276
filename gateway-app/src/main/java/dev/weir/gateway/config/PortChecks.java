package dev.weir.gateway.config;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Finds a port that cannot be had before anything is opened, so that the message can name its property. A port taken in
 * the short time between this check and the real bind still stops the start, only with the server's own words.
 */
final class PortChecks {

    private PortChecks() {}

    static void check(WeirProperties properties) {
        Map<Integer, String> seen = new LinkedHashMap<>();
        check(seen, "weir.http", properties.http().port(), properties.http().address());
        check(
                seen,
                "weir.flight",
                properties.flight().port(),
                properties.flight().address());
        check(
                seen,
                "weir.management",
                properties.management().port(),
                properties.management().address());
    }

    static void checkWorker(WeirProperties properties) {
        Map<Integer, String> seen = new LinkedHashMap<>();
        check(
                seen,
                "weir.worker",
                properties.worker().port(),
                properties.worker().address());
        check(
                seen,
                "weir.management",
                properties.management().port(),
                properties.management().address());
    }

    private static void check(Map<Integer, String> seen, String prefix, int port, String address) {
        if (port < 0 || port > 65_535) {
            throw new StartFailedException(prefix + ".port must be 0 to 65535, was " + port);
        }
        InetAddress bind = address(prefix, address);
        if (port == 0) {
            return;
        }
        String other = seen.putIfAbsent(port, prefix);
        if (other != null) {
            throw new StartFailedException(prefix + ".port " + port + " is the same as " + other + ".port");
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(bind, port));
        } catch (IOException e) {
            throw new StartFailedException(
                    prefix + ".port " + port + " cannot be used (" + e.getMessage() + "); choose another, or stop what"
                            + " uses it",
                    e);
        }
    }

    /** The address to bind; empty means all. */
    static InetAddress address(String prefix, String address) {
        try {
            return address.isEmpty() ? new InetSocketAddress(0).getAddress() : InetAddress.getByName(address);
        } catch (UnknownHostException e) {
            throw new StartFailedException(prefix + ".address '" + address + "' is no address of this machine", e);
        }
    }

    static boolean isLoopback(String prefix, String address) {
        return !address.isEmpty() && address(prefix, address).isLoopbackAddress();
    }
}
