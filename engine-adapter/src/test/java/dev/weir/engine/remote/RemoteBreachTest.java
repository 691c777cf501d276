package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.EngineStats;
import dev.weir.engine.Rows;
import dev.weir.engine.wire.ArrowBody;
import dev.weir.engine.wire.Control;
import dev.weir.engine.wire.Frame;
import dev.weir.engine.wire.Json;
import dev.weir.engine.wire.Reply;
import dev.weir.engine.wire.Schemas;
import dev.weir.engine.wire.Wire;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.NettyServerBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker that sends something else than a whole result: it is never taken for one. */
class RemoteBreachTest {

    private static final Schema SCHEMA =
            new Schema(List.of(new Field("i", FieldType.nullable(new ArrowType.Int(32, true)), null)));

    private RootAllocator allocator;
    private VectorSchemaRoot root;
    private ArrowRecordBatch batch;
    private Server server;
    private RemoteEngine engine;

    @BeforeEach
    void open() {
        allocator = new RootAllocator();
        root = VectorSchemaRoot.create(SCHEMA, allocator);
        ((IntVector) root.getVector(0)).setSafe(0, 42);
        root.setRowCount(1);
        batch = new VectorUnloader(root).getRecordBatch();
    }

    @AfterEach
    void close() {
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
        engine.close();
        server.shutdownNow();
        batch.close();
        root.close();
        allocator.close();
    }

    private static Frame opened() {
        return Frame.of(new Reply.Opened(null), Schemas.write(SCHEMA));
    }

    private Frame batch(long seq) {
        return Frame.of(new Reply.Batch(seq, 1), Schemas.write(batch), ArrowBody.length(batch), new ArrowBody(batch));
    }

    private static Frame end(long batches) {
        return Frame.of(new Reply.End(batches, null));
    }

    /** Answers a command with these frames, and closes the call when the gateway is through with it, or at once. */
    private static ServerCallHandler<Frame, Frame> saying(List<Frame> frames, boolean close) {
        return (call, headers) -> {
            call.sendHeaders(new Metadata());
            call.request(1_000);
            return new ServerCall.Listener<>() {
                @Override
                public void onMessage(Frame said) {
                    if (said.command() != null) {
                        frames.forEach(call::sendMessage);
                        if (close) {
                            call.close(Status.OK, new Metadata());
                        }
                    } else if (!close && isLast(said)) {
                        call.close(Status.OK, new Metadata());
                    }
                }
            };
        };
    }

    private static boolean isLast(Frame said) {
        try {
            Control control = Json.read(said.control(), Control.class);
            return control.done() || control.cancel();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private long run(boolean close, Frame... frames) throws IOException {
        server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .addService(ServerServiceDefinition.builder(Wire.SERVICE)
                        .addMethod(Wire.EXCHANGE, saying(List.of(frames), close))
                        .build())
                .build()
                .start();
        engine = new RemoteEngine(
                new RemoteSettings(
                        "w",
                        "127.0.0.1",
                        server.getPort(),
                        null,
                        Loopback.SECRET,
                        Loopback.LONG,
                        Loopback.LONG,
                        Duration.ZERO),
                new EngineInfo("fake", "1", true),
                sql -> {
                    throw new AssertionError("Not scanned here");
                });
        return Rows.count(Rows.await(engine.execute(EngineQuery.read("q", "x")).result()));
    }

    private void assertLost(boolean close, Frame... frames) {
        EngineException failure = catchThrowableOfType(EngineException.class, () -> run(close, frames));
        assertThat(failure).isNotNull();
        assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
    }

    @Test
    void aWholeResultIsTaken() throws IOException {
        assertThat(run(false, opened(), batch(0), batch(1), end(2))).isEqualTo(2);
    }

    @Test
    void aGapIsALoss() {
        assertLost(false, opened(), batch(0), batch(2), end(3));
    }

    @Test
    void aDuplicateIsALoss() {
        assertLost(false, opened(), batch(0), batch(0), end(1));
    }

    @Test
    void anEndTooEarlyIsALoss() {
        assertLost(false, opened(), batch(0), end(2));
    }

    @Test
    void anEndBeforeTheSchemaIsALoss() {
        assertLost(false, end(0));
    }

    @Test
    void aCallThatEndsWithoutTheEndIsALoss() {
        assertLost(true, opened(), batch(0));
    }
}
