package dev.weir.gateway.flightsql;

import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the calls that the transport has not closed. After a message beyond the limit gRPC answers and closes its call, but
 * the stream below stays half open until its client ends it, which some never do; so a server that stops asks this, and
 * not its connections. Thread-safe.
 */
final class OpenCalls extends ServerStreamTracer.Factory {

    private final AtomicInteger open = new AtomicInteger();

    boolean isEmpty() {
        return open.get() == 0;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        open.incrementAndGet();
        return new ServerStreamTracer() {
            @Override
            public void streamClosed(Status status) {
                open.decrementAndGet();
            }
        };
    }
}
