package dev.weir.gateway.flightsql;

import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Status;
import java.io.IOException;
import java.io.InputStream;

/** Reads the messages of DoPut. */
final class PutMarshaller implements Marshaller<PutMessage> {

    @Override
    public InputStream stream(PutMessage message) {
        throw new UnsupportedOperationException("a server only reads them");
    }

    @Override
    public PutMessage parse(InputStream in) {
        try {
            return PutMessage.parse(in);
        } catch (IOException e) {
            throw Status.INTERNAL
                    .withDescription("The message is no FlightData.")
                    .withCause(e)
                    .asRuntimeException();
        }
    }
}
