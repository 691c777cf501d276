package dev.weir.engine.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A bad network on loopback: forwards bytes, and cuts the connection after a given number of them, or swallows all from
 * some moment on without a word.
 */
final class CuttingProxy implements AutoCloseable {

    private final ServerSocket listening;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong downstream = new AtomicLong();
    private final AtomicLong cutAt = new AtomicLong(Long.MAX_VALUE);
    private final AtomicInteger cuts = new AtomicInteger();
    private volatile boolean swallowing;

    CuttingProxy(int target) throws IOException {
        this(0, target);
    }

    /** @param port to listen on */
    CuttingProxy(int port, int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket();
        listening.setReuseAddress(true);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        start(this::accept);
    }

    private static void start(Runnable body) {
        Thread thread = new Thread(body, "cutting-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Cuts once, after so many more bytes of the worker. */
    void cutAfter(long bytes) {
        cutAt.set(downstream.get() + bytes);
    }

    /** Bytes of the worker so far. */
    long forwarded() {
        return downstream.get();
    }

    int cuts() {
        return cuts.get();
    }

    /** From now on takes all and forwards nothing; connections stay open. */
    void swallow(boolean swallow) {
        swallowing = swallow;
    }

    /** Breaks what is connected, and forwards nothing of what connects from then on. */
    void deaden() {
        swallowing = true;
        closeAll();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                sockets.add(client);
                Socket worker = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(worker);
                start(() -> pump(client, worker, false));
                start(() -> pump(worker, client, true));
            }
        } catch (IOException e) {
            closeAll();
        }
    }

    private void pump(Socket from, Socket to, boolean counted) {
        byte[] buffer = new byte[16 << 10];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int read;
            while ((read = in.read(buffer)) != -1) {
                if (swallowing) {
                    continue;
                }
                if (counted) {
                    long before = downstream.getAndAdd(read);
                    long at = cutAt.get();
                    if (before + read >= at && cutAt.compareAndSet(at, Long.MAX_VALUE)) {
                        out.write(buffer, 0, (int) Math.max(0, at - before));
                        cuts.incrementAndGet();
                        return;
                    }
                }
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // The other direction was cut.
        }
    }

    private void closeAll() {
        for (Socket socket : sockets) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is closed.
            }
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        closeAll();
    }
}
