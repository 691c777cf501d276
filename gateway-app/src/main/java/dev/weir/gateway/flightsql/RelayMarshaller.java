package dev.weir.gateway.flightsql;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerMethodDefinition;
import java.io.InputStream;

/**
 * Writes what flight-core sends, and {@link RelayedBatch}es besides: so schema, dictionaries and decoded batches of one
 * call can come from flight-core's encoder and others go through as they are.
 *
 * @param <T> flight-core's message, which cannot be named here
 */
final class RelayMarshaller<T> implements Marshaller<T> {

    private final Marshaller<T> encoder;

    private RelayMarshaller(Marshaller<T> encoder) {
        this.encoder = encoder;
    }

    /** The method with this marshaller around its own. */
    static <Q, R> ServerMethodDefinition<Q, R> around(ServerMethodDefinition<Q, R> method) {
        MethodDescriptor<Q, R> own = method.getMethodDescriptor();
        return ServerMethodDefinition.create(
                own.toBuilder(own.getRequestMarshaller(), new RelayMarshaller<>(own.getResponseMarshaller()))
                        .build(),
                method.getServerCallHandler());
    }

    @Override
    public InputStream stream(T message) {
        return message instanceof RelayedBatch batch ? batch.stream() : encoder.stream(message);
    }

    @Override
    public T parse(InputStream stream) {
        return encoder.parse(stream);
    }
}
