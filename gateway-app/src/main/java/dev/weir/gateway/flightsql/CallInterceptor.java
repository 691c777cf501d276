package dev.weir.gateway.flightsql;

import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.Authenticator;
import dev.weir.auth.Credentials;
import dev.weir.auth.Identity;
import dev.weir.gateway.query.ErrorDetails;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import dev.weir.gateway.query.QueryRequest;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall;
import io.grpc.ForwardingServerCallListener;
import io.grpc.InternalMetadata;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.arrow.flight.impl.FlightServiceGrpc;
import org.jspecify.annotations.Nullable;

/**
 * Stands in front of every RPC: bounds the headers, authenticates without blocking, and runs the call with its
 * {@link Caller} in the context. A call that came with a password gets a bearer in its response headers.
 */
final class CallInterceptor implements ServerInterceptor {

    /** Bytes queued in the transport under which a stream counts as ready; it hides the engine's time per batch. */
    private static final int READY_THRESHOLD_BYTES = 4 << 20;

    private static final String HANDSHAKE =
            FlightServiceGrpc.getHandshakeMethod().getFullMethodName();
    private static final String DO_GET = FlightServiceGrpc.getDoGetMethod().getFullMethodName();

    private static final String DO_PUT = FlightServiceGrpc.getDoPutMethod().getFullMethodName();

    private static final Metadata.Key<String> TRACE =
            Metadata.Key.of(QueryRequest.TRACE_PARENT, Metadata.ASCII_STRING_MARSHALLER);

    private final Authenticator authenticator;
    private final int maxHeaderBytes;
    private final Executor executor;

    CallInterceptor(Authenticator authenticator, int maxHeaderBytes, Executor executor) {
        this.authenticator = authenticator;
        this.maxHeaderBytes = maxHeaderBytes;
        this.executor = executor;
    }

    @Override
    public <Q, R> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        CallState state = new CallState();
        AnsweringCall<Q, R> answering = new AnsweringCall<>(call, state);
        Credentials credentials;
        RequestOptions options;
        try {
            checkHeaders(headers);
            options = RequestOptions.of(headers);
            credentials = CallCredentials.of(headers, call.getAttributes());
        } catch (GatewayException | AuthenticationFailedException e) {
            return refuse(answering, e);
        }
        String method = call.getMethodDescriptor().getFullMethodName();
        if (method.equals(DO_GET)) {
            call.setOnReadyThreshold(READY_THRESHOLD_BYTES);
            state.relayBy(answering::relay);
        } else if (method.equals(DO_PUT)) {
            state.ingestOptions(IngestCommand.options(headers));
        }
        String trace = headers.get(TRACE);
        if (QueryRequest.isTraceParent(trace)) {
            state.tags(Map.of(QueryRequest.TRACE_PARENT, trace));
        }
        if (credentials == null) {
            return method.equals(HANDSHAKE)
                    ? start(Caller.anonymous(Context.current(), state), answering, headers, next)
                    : refuse(
                            answering,
                            new GatewayException(
                                    GatewayErrorCode.UNAUTHENTICATED,
                                    "Credentials are needed: Basic or Bearer in the authorization header."));
        }
        return authenticate(credentials, new Pending<>(answering, state, headers, options, next));
    }

    /** A call that waits for its identity. */
    private record Pending<Q, R>(
            ServerCall<Q, R> call,
            CallState state,
            Metadata headers,
            RequestOptions options,
            ServerCallHandler<Q, R> next) {}

    private <Q, R> ServerCall.Listener<Q> authenticate(Credentials credentials, Pending<Q, R> pending) {
        CompletableFuture<Identity> identity;
        try {
            identity = authenticator.authenticate(credentials).toCompletableFuture();
        } catch (RuntimeException e) {
            return refuse(pending.call(), e);
        }
        if (identity.isDone()) {
            return proceed(credentials, pending, identity);
        }
        Context context = Context.current();
        DeferredListener<Q> deferred = new DeferredListener<>();
        CompletableFuture<Identity> bounded =
                identity.copy().orTimeout(FlightSqlSettings.AUTHENTICATION_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        var unused = bounded.whenCompleteAsync(
                (value, failure) -> context.run(() -> deferred.openTo(proceed(credentials, pending, bounded))),
                executor);
        return deferred;
    }

    private <Q, R> ServerCall.Listener<Q> proceed(
            Credentials credentials, Pending<Q, R> pending, CompletableFuture<Identity> done) {
        try {
            Identity identity = done.join();
            String bearer = credentials instanceof Credentials.Bearer shown ? shown.token() : null;
            if (credentials instanceof Credentials.Password) {
                bearer = authenticator.issueBearer(identity);
                pending.state().header(CallCredentials.AUTHORIZATION, "Bearer " + bearer);
            }
            Caller.SessionRef session =
                    FlightSessions.refOf(pending.headers(), bearer, credentials instanceof Credentials.Bearer);
            Caller caller = new Caller(identity, session, pending.options(), pending.state());
            return start(Caller.in(Context.current(), caller), pending.call(), pending.headers(), pending.next());
        } catch (RuntimeException e) {
            return refuse(pending.call(), busyOnTimeout(e));
        }
    }

    private static Throwable busyOnTimeout(RuntimeException failure) {
        return failure.getCause() instanceof TimeoutException
                ? new GatewayException(
                        GatewayErrorCode.RATE_LIMITED,
                        "The credentials could not be checked in time; try again.",
                        ErrorDetails.NONE)
                : failure;
    }

    private static <Q, R> ServerCall.Listener<Q> start(
            Context context, ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
        CallState state = ((AnsweringCall<Q, R>) call).state;
        ServerCall.Listener<Q> listener = Contexts.interceptCall(context, call, headers, next);
        return new EndingListener<>(listener, state);
    }

    private static <Q, R> ServerCall.Listener<Q> refuse(ServerCall<Q, R> call, Throwable failure) {
        StatusRuntimeException status = FlightErrors.toStatus(failure);
        Metadata trailers = status.getTrailers();
        call.close(status.getStatus(), trailers != null ? trailers : new Metadata());
        return new ServerCall.Listener<>() {};
    }

    private void checkHeaders(Metadata headers) {
        long size = 0;
        for (byte[] part : InternalMetadata.serialize(headers)) {
            size += part.length;
        }
        if (size > maxHeaderBytes) {
            throw new GatewayException(
                    GatewayErrorCode.TOO_LARGE,
                    "The call's headers have " + size + " bytes; weir.flight.max-header-size is " + maxHeaderBytes
                            + ".",
                    ErrorDetails.ofLimit("global", "flight.max-header-size", Integer.toString(maxHeaderBytes)));
        }
    }

    /** Sends the headers gathered in the call's state, also when a call ends well without any message. */
    private static final class AnsweringCall<Q, R> extends ForwardingServerCall.SimpleForwardingServerCall<Q, R> {
        private final CallState state;
        private boolean headersSent;

        AnsweringCall(ServerCall<Q, R> call, CallState state) {
            super(call);
            this.state = state;
        }

        /** Sends a message past flight-core; only {@link RelayMarshaller} looks at what it is. */
        @SuppressWarnings("unchecked")
        private void relay(RelayedBatch batch) {
            try (batch) {
                sendMessage((R) batch);
            }
        }

        @Override
        public void sendHeaders(Metadata headers) {
            headersSent = true;
            state.addHeadersTo(headers);
            super.sendHeaders(headers);
        }

        @Override
        public void close(Status status, @Nullable Metadata trailers) {
            if (status.isOk() && !headersSent) {
                sendHeaders(new Metadata());
            }
            super.close(status, trailers != null ? trailers : new Metadata());
        }
    }

    /** Tells the call's state when the transport is done with the call. */
    private static final class EndingListener<Q>
            extends ForwardingServerCallListener.SimpleForwardingServerCallListener<Q> {
        private final CallState state;

        EndingListener(ServerCall.Listener<Q> listener, CallState state) {
            super(listener);
            this.state = state;
        }

        @Override
        public void onComplete() {
            try {
                super.onComplete();
            } finally {
                state.end();
            }
        }

        @Override
        public void onCancel() {
            try {
                super.onCancel();
            } finally {
                state.end();
            }
        }
    }
}
