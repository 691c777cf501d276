package dev.weir.gateway.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A wire that can fall silent: both ends stay open, and nothing passes any more. It can also break: once at some byte, or
 * for as long as it is dead.
 */
final class Relay implements AutoCloseable {

    private final ServerSocket listener;
    private final int target;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final AtomicLong cutIn = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean silent;
    private volatile boolean dead;

    Relay(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** From here on nothing passes, in either direction, and nobody is told. */
    void fallSilent() {
        silent = true;
    }

    /** Breaks what is connected, once, after so many more bytes of the target. */
    void cutAfter(long bytes) {
        cutIn.set(bytes);
    }

    int cuts() {
        return cuts.get();
    }

    /** Breaks what is connected, and what connects from now on, until it is revived. */
    void kill() throws IOException {
        dead = true;
        breakAll();
    }

    void revive() {
        dead = false;
    }

    private void breakAll() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                if (dead) {
                    client.close();
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                start(() -> pump(client, server, false));
                start(() -> pump(server, client, true));
            }
        } catch (IOException closed) {
            silent = true;
        }
    }

    private void pump(Socket from, Socket to, boolean counted) {
        byte[] bytes = new byte[65_536];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                long left = counted ? cutIn.addAndGet(-count) : 1;
                if (left <= 0) {
                    cutIn.set(Long.MAX_VALUE);
                    cuts.incrementAndGet();
                    out.write(bytes, 0, (int) (count + left));
                    breakAll();
                }
                // What comes after the silence is read and lost, as on a broken wire.
                if (!silent) {
                    out.write(bytes, 0, count);
                }
            }
        } catch (IOException closed) {
            // An end closed its socket: what it was there for is over.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        breakAll();
    }
}
