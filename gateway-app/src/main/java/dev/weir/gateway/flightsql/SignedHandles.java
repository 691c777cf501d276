package dev.weir.gateway.flightsql;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.weir.auth.token.TicketRefusedException;
import dev.weir.auth.token.TicketSigner;
import java.time.Duration;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.jspecify.annotations.Nullable;

/**
 * Payloads as clients hold them, in tickets and in descriptors to poll with: signed for their user, and packed as Flight
 * SQL packs tickets of statements. Thread-safe.
 */
final class SignedHandles {

    private final TicketSigner signer;

    SignedHandles(TicketSigner signer) {
        this.signer = signer;
    }

    ByteString pack(Caller caller, byte[] payload, Duration timeToLive) {
        byte[] signed = signer.sign(caller.user(), payload, timeToLive);
        return Any.pack(FlightSql.TicketStatementQuery.newBuilder()
                        .setStatementHandle(ByteString.copyFrom(signed))
                        .build())
                .toByteString();
    }

    /**
     * The payload of a statement handle.
     *
     * @throws TicketRefusedException when it is malformed, changed, expired or another user's
     */
    byte[] open(Caller caller, ByteString handle) {
        return signer.verify(caller.user(), handle.toByteArray());
    }

    /** The payload of what {@link #pack} gave; null when it is something else, or cannot be used by this caller now. */
    byte @Nullable [] openPacked(Caller caller, ByteString packed) {
        try {
            Any message = Any.parseFrom(packed);
            return message.is(FlightSql.TicketStatementQuery.class)
                    ? open(
                            caller,
                            message.unpack(FlightSql.TicketStatementQuery.class).getStatementHandle())
                    : null;
        } catch (InvalidProtocolBufferException | TicketRefusedException e) {
            return null;
        }
    }
}
