package dev.weir.engine.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineFailure;
import dev.weir.engine.MetadataRequest;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker and a gateway that does not keep to what was agreed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProtocolTest {

    private static final byte[] SECRET = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private DuckDbEngine duck;
    private WorkerServer worker;
    private ManagedChannel channel;

    @BeforeAll
    void open(@TempDir Path directory) {
        duck = DuckDbEngine.open(
                new DuckDbSettings(null, false, directory, List.of(), Map.of(), List.of(), 1L << 28, 1L << 28, 1, 8));
        worker = new WorkerServer(
                duck,
                new WorkerSettings(
                        "w", "127.0.0.1", 0, null, SECRET, 4, 1, 1 << 20, Duration.ofMillis(500), "none", () -> 0));
        worker.start();
        channel = NettyChannelBuilder.forAddress("127.0.0.1", worker.port())
                .usePlaintext()
                .build();
    }

    @AfterAll
    void close() {
        channel.shutdownNow();
        worker.close();
        duck.close();
    }

    /** One call: the first answer, and how it ended. */
    private record Answer(Reply reply, Status status) {}

    private Answer ask(Frame... frames) throws Exception {
        ClientCall<Frame, Frame> call = channel.newCall(Wire.EXCHANGE, CallOptions.DEFAULT);
        Metadata headers = new Metadata();
        headers.put(Wire.AUTHORIZATION, Wire.bearer(SECRET));
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        call.start(
                new ClientCall.Listener<>() {
                    private Reply first;

                    @Override
                    public void onMessage(Frame frame) {
                        try {
                            first = first == null ? Json.read(frame.control(), Reply.class) : first;
                        } catch (IOException e) {
                            answer.completeExceptionally(e);
                        }
                        frame.close();
                        call.request(1);
                    }

                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        answer.complete(new Answer(first, status));
                    }
                },
                headers);
        for (Frame frame : frames) {
            call.sendMessage(frame);
        }
        call.request(1);
        return answer.get(30, TimeUnit.SECONDS);
    }

    private static Frame json(String json) {
        return new Frame(json.getBytes(StandardCharsets.UTF_8), null, null, 0, null);
    }

    @Test
    void anotherVersionIsRefusedClearly() throws Exception {
        Answer answer = ask(json("{\"protocol\":99,\"command\":{\"do\":\"dance\"}}"));
        Reply.Failed failed = (Reply.Failed) answer.reply();
        assertThat(failed.failure()).isEqualTo(EngineFailure.UNAVAILABLE.name());
        assertThat(failed.message()).contains("version 1").contains("version 99");
    }

    @Test
    void anUnknownCommandFails() throws Exception {
        Answer answer = ask(json("{\"protocol\":1,\"command\":{\"do\":\"dance\"}}"));
        assertThat(((Reply.Failed) answer.reply()).failure()).isEqualTo(EngineFailure.INTERNAL.name());
    }

    @Test
    void whatIsNoCommandFails() throws Exception {
        assertThat(ask(json("dance")).status().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    }

    @Test
    void resumingWhatIsNotThereIsALoss() throws Exception {
        Answer answer = ask(Frame.of(new Command.Resume("nobody's", 3, false, false)));
        assertThat(((Reply.Failed) answer.reply()).failure()).isEqualTo(EngineFailure.LOST.name());
    }

    @Test
    void aGatewayThatAsksAndSaysNothingMoreIsForgotten() throws Exception {
        Answer answer =
                ask(Frame.of(new Command.Metadata("t", MetadataRequest.of(MetadataRequest.Kind.CATALOGS), null)));
        assertThat(answer.reply()).isInstanceOf(Reply.Opened.class);
        assertThat(answer.status().isOk()).isTrue();
        Awaitility.await().until(() -> duck.stats().arrowBytes() == 0);
    }
}
