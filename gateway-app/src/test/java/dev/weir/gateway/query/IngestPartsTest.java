package dev.weir.gateway.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.auth.Identity;
import dev.weir.auth.Role;
import dev.weir.engine.EngineException;
import dev.weir.engine.IngestMode;
import dev.weir.engine.IngestTarget;
import java.nio.ByteBuffer;
import java.util.List;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Parts of one ingest that come at the same time. */
class IngestPartsTest {

    private static final Identity WRITER = new Identity("will", List.of(), Role.WRITER);

    private final QueryHarness harness = new QueryHarness();

    @AfterEach
    void everythingIsGivenBack() {
        assertThat(harness.service.uploadBytes()).isZero();
        harness.everythingIsGivenBack();
    }

    private IngestInlet part(int part) {
        return harness.service.ingest(
                WRITER,
                new IngestRequest(
                        QueryRequest.of(Front.HTTP, ""),
                        IngestTarget.of("t"),
                        IngestMode.CREATE,
                        new IngestRequest.Part("load", 2, part)));
    }

    private void schema(IngestInlet part, ArrowType type) {
        ByteBuffer message = MessageSerializer.serializeMetadata(new Schema(List.of(Field.nullable("i", type))));
        part.add(message, part.allocator().buffer(0));
    }

    @Test
    void aPartThatFailsWhileTheQueryIsSubmittedEndsIt() throws Exception {
        IngestInlet first = part(0);
        IngestInlet second = part(1);
        harness.onSubmit = () -> assertThatThrownBy(() -> schema(second, new ArrowType.Utf8()))
                .isInstanceOf(GatewayException.class)
                .hasMessageContaining("same schema");
        schema(first, new ArrowType.Int(32, true));
        assertThat(QueryHarness.failure(first.rows()).code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        assertThat(QueryHarness.failure(second.rows()).code()).isEqualTo(GatewayErrorCode.INVALID_REQUEST);
        for (FakeEngine.Call<?> call : harness.engine.calls) {
            assertThat(call.cancelled).isTrue();
            call.stop();
        }
        for (var feed : harness.engine.feeds) {
            assertThatThrownBy(() -> feed.poll(0)).isInstanceOf(EngineException.class);
        }
        assertThat(harness.ended)
                .singleElement()
                .satisfies(query -> assertThat(query.state()).isEqualTo(QueryState.FAILED));
    }
}
