package dev.weir.gateway.flightsql;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.auth.AuthenticationFailedException;
import dev.weir.auth.AuthenticationFailedException.Reason;
import dev.weir.auth.Authenticator;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.flight.impl.Flight;

/**
 * One Handshake. With credentials in its headers, the interceptor has done everything: the bearer goes out in the
 * response headers. Without, the first message holds a {@code BasicAuth}, the older form, and the bearer is the answer's
 * payload, which the client then sends as {@code auth-token-bin}.
 */
final class HandshakeCall implements StreamObserver<Flight.HandshakeRequest> {

    private final ServerCallStreamObserver<Flight.HandshakeResponse> client;
    private final Authenticator authenticator;
    private final boolean authenticated;
    private final ScheduledFuture<?> limit;

    @GuardedBy("this")
    private boolean asked;

    @GuardedBy("this")
    private boolean answered;

    HandshakeCall(
            ServerCallStreamObserver<Flight.HandshakeResponse> client,
            Authenticator authenticator,
            boolean authenticated,
            ScheduledExecutorService scheduler) {
        this.client = client;
        this.authenticator = authenticator;
        this.authenticated = authenticated;
        // Before this call nobody has shown who he is: it must not stay open.
        this.limit = scheduler.schedule(
                () -> fail(new AuthenticationFailedException(
                        Reason.MISSING, "The handshake brought no credentials in time.")),
                FlightSqlSettings.AUTHENTICATION_TIMEOUT.toMillis(),
                TimeUnit.MILLISECONDS);
        client.setOnCancelHandler(() -> limit.cancel(false));
    }

    @Override
    public void onNext(Flight.HandshakeRequest request) {
        if (authenticated) {
            complete(ByteString.EMPTY);
            return;
        }
        synchronized (this) {
            if (asked) {
                return;
            }
            asked = true;
        }
        try {
            Flight.BasicAuth basic = Flight.BasicAuth.parseFrom(request.getPayload());
            var unused = authenticator
                    .authenticate(CallCredentials.password(basic.getUsername(), basic.getPassword()))
                    .thenApply(authenticator::issueBearer)
                    .whenComplete((bearer, failure) -> {
                        if (failure != null) {
                            fail(failure);
                        } else {
                            complete(ByteString.copyFromUtf8(bearer));
                        }
                    });
        } catch (InvalidProtocolBufferException e) {
            fail(new AuthenticationFailedException(
                    Reason.MALFORMED, "The handshake's payload is not a BasicAuth message."));
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    @Override
    public void onCompleted() {
        if (authenticated) {
            complete(ByteString.EMPTY);
            return;
        }
        boolean nothingCame;
        synchronized (this) {
            nothingCame = !asked;
        }
        if (nothingCame) {
            fail(
                    new AuthenticationFailedException(
                            Reason.MISSING,
                            "The handshake brought no credentials: Basic in the authorization header, or a BasicAuth message."));
        }
    }

    @Override
    public void onError(Throwable failure) {
        limit.cancel(false);
    }

    private void complete(ByteString payload) {
        if (claimAnswer()) {
            if (!payload.isEmpty()) {
                client.onNext(Flight.HandshakeResponse.newBuilder()
                        .setPayload(payload)
                        .build());
            }
            client.onCompleted();
        }
    }

    private void fail(Throwable failure) {
        if (claimAnswer()) {
            client.onError(FlightErrors.toStatus(failure));
        }
    }

    private synchronized boolean claimAnswer() {
        limit.cancel(false);
        boolean first = !answered;
        answered = true;
        return first;
    }
}
