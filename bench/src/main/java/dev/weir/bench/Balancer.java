package dev.weir.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A TCP balancer on loopback: each new connection goes to the next backend that is up, and stays there. */
final class Balancer implements AutoCloseable {

    private static final int CONNECT_MILLIS = 1_000;
    private static final int BUFFER_BYTES = 64 * 1024;

    private final ServerSocket listener;
    private final List<Integer> backends;
    private final IntPredicate isUp;
    private final AtomicInteger turn = new AtomicInteger();
    private final ExecutorService threads = Executors.newCachedThreadPool(body -> {
        Thread thread = new Thread(body, "balancer");
        thread.setDaemon(true);
        return thread;
    });

    /**
     * @param backends ports
     * @param isUp whether the backend at a place of that list may get connections
     */
    Balancer(int port, List<Integer> backends, IntPredicate isUp) throws IOException {
        this.listener = new ServerSocket(port, 100, InetAddress.getLoopbackAddress());
        this.backends = backends;
        this.isUp = isUp;
        threads.execute(this::accept);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                threads.execute(() -> connect(client));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void connect(Socket client) {
        int first = turn.getAndIncrement();
        for (int i = 0; i < backends.size(); i++) {
            int place = Math.floorMod(first + i, backends.size());
            if (!isUp.test(place)) {
                continue;
            }
            Socket backend = new Socket();
            try {
                backend.connect(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), backends.get(place)), CONNECT_MILLIS);
            } catch (IOException gone) {
                continue;
            }
            threads.execute(() -> copy(client, backend));
            copy(backend, client);
            return;
        }
        close(client);
    }

    /** One direction; the end of it, or a reset, ends both. */
    private static void copy(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try (from;
                to;
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream()) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (IOException reset) {
            // The other direction ends with it.
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone already.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        threads.shutdownNow();
    }
}
