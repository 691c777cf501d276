package dev.weir.gateway.config;

import dev.weir.gateway.metrics.FlightMeters;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Counts and times the calls of the Flight SQL front, those of the gateway's own warm-up left out. */
final class FlightCalls implements ServerInterceptor {

    private final FlightMeters meters;
    private final BooleanSupplier warm;

    FlightCalls(FlightMeters meters, BooleanSupplier warm) {
        this.meters = meters;
        this.warm = warm;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        String method = call.getMethodDescriptor().getBareMethodName();
        if (method == null || !warm.getAsBoolean()) {
            return next.startCall(call, headers);
        }
        TimedCall<Q, R> timed = new TimedCall<>(call);
        long began = System.nanoTime();
        return new SimpleForwardingServerCallListener<>(next.startCall(timed, headers)) {
            @Override
            public void onComplete() {
                ended(timed.status == null ? Status.OK : timed.status);
                super.onComplete();
            }

            /** Also after an answer that did not reach its client: it left before. */
            @Override
            public void onCancel() {
                ended(Status.CANCELLED);
                super.onCancel();
            }

            private void ended(Status status) {
                meters.ended(
                        method,
                        MetersConfiguration.label(status.getCode()),
                        Duration.ofNanos(System.nanoTime() - began));
            }
        };
    }

    /** Remembers with what the call was answered. */
    private static final class TimedCall<Q, R> extends SimpleForwardingServerCall<Q, R> {

        private volatile @Nullable Status status;

        TimedCall(ServerCall<Q, R> call) {
            super(call);
        }

        @Override
        public void close(Status with, Metadata trailers) {
            status = with;
            super.close(with, trailers);
        }
    }
}
