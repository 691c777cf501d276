package dev.weir.gateway.http;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import reactor.core.publisher.Operators;

/**
 * How far a body has got: what the framework asked for, what it was given, and what has reached the socket. The
 * framework's own demand is no brake (it asks for 128 chunks); bytes on their way are. Thread-safe.
 */
final class DeliveryWindow {

    /** Bytes on their way to the socket before encoding stops: two Arrow chunks keep a connection busy. */
    private static final long WINDOW_BYTES = 2 << 20;

    private final ClientConnection connection;
    private final LongConsumer delivered;
    private final Runnable moved;
    private final Runnable lost;

    /** Chunks that the framework still takes. */
    private final AtomicLong demand = new AtomicLong();
    /** Bytes given to the framework and not known to have reached the socket. */
    private final AtomicLong inFlight = new AtomicLong();
    /** The part of them that nobody waits for yet. */
    private final AtomicLong handedOver = new AtomicLong();

    /**
     * @param delivered told of bytes that reached the socket
     * @param moved runs after each change that may let encoding go on
     * @param lost runs when bytes could not be sent
     */
    DeliveryWindow(ClientConnection connection, LongConsumer delivered, Runnable moved, Runnable lost) {
        this.connection = connection;
        this.delivered = delivered;
        this.moved = moved;
        this.lost = lost;
    }

    void request(long chunks) {
        long before = demand.getAndAccumulate(chunks, Operators::addCap);
        awaitDelivery();
        if (before == 0) {
            moved.run();
        }
    }

    /** Whether one more chunk may go. */
    boolean open() {
        return demand.get() > 0 && inFlight.get() < WINDOW_BYTES;
    }

    /** Whether the framework takes a chunk, however full the way is. */
    boolean wanted() {
        return demand.get() > 0;
    }

    /**
     * Counts a chunk, and gives it.
     *
     * @param give hands it to the framework
     */
    void send(int bytes, Runnable give) {
        inFlight.addAndGet(bytes);
        handedOver.addAndGet(bytes);
        long left = demand.decrementAndGet();
        give.run();
        if (left > 0) {
            awaitDelivery();
        }
    }

    /**
     * Waits for what was handed over to reach the socket. Not before there is more demand: the framework asks for one
     * chunk, keeps it while the head is written, and asks for more when it passes it on.
     */
    private void awaitDelivery() {
        long size = handedOver.getAndSet(0);
        if (size == 0) {
            return;
        }
        connection.flushed().whenComplete((nothing, thrown) -> {
            if (thrown == null) {
                delivered.accept(size);
            } else {
                lost.run();
            }
            inFlight.addAndGet(-size);
            moved.run();
        });
    }

    /** Whether the framework may still hold a chunk back. */
    boolean heldBack() {
        return handedOver.get() != 0;
    }

    /** The framework says that everything was written. */
    void written() {
        long rest = handedOver.getAndSet(0);
        if (rest > 0) {
            inFlight.addAndGet(-rest);
            delivered.accept(rest);
        }
    }

    /** Whether everything that was sent is accounted for. */
    boolean isEmpty() {
        return inFlight.get() == 0;
    }
}
