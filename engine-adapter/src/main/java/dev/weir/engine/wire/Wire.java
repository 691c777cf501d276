package dev.weir.engine.wire;

import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import java.util.Base64;

/** What both sides must agree on. */
public final class Wire {

    /** Version of the commands; a worker refuses every other one. */
    public static final int PROTOCOL = 1;

    /** Largest command, and largest body of a batch. */
    public static final int MAX_PART_BYTES = 64 << 20;

    /** Largest message that either side accepts: one part, and room for what else is in it. */
    public static final int MAX_MESSAGE_BYTES = MAX_PART_BYTES + (4 << 20);

    /** What a gateway sends of an upload before the worker has taken any of it, but for one message that goes over it. */
    public static final long UPLOAD_WINDOW_BYTES = 16L << 20;

    /** Carries the shared secret, with each call. */
    public static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    /** The service that workers offer: Flight's, of which they know one method. */
    public static final String SERVICE = "arrow.flight.protocol.FlightService";

    /** The one method. */
    public static final MethodDescriptor<Frame, Frame> EXCHANGE = MethodDescriptor.<Frame, Frame>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, "DoExchange"))
            .setRequestMarshaller(new FrameMarshaller())
            .setResponseMarshaller(new FrameMarshaller())
            .build();

    private Wire() {}

    /** The value of {@link #AUTHORIZATION} for a secret. */
    public static String bearer(byte[] secret) {
        return "Bearer " + Base64.getEncoder().encodeToString(secret);
    }
}
