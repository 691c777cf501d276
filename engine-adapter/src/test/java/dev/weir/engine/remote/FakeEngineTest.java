package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineInfo;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import dev.weir.engine.worker.WorkerServer;
import dev.weir.engine.worker.WorkerSettings;
import java.time.Duration;
import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Workers over engines that DuckDB is not. */
class FakeEngineTest {

    private static final ArrowType INT = new ArrowType.Int(32, true);

    private interface Use {
        void with(RemoteEngine engine);
    }

    private static void serve(FakeEngine fake, Use use) {
        WorkerServer worker = new WorkerServer(
                fake, Loopback.settings(1, WorkerSettings.DEFAULT_WINDOW_BYTES, Duration.ofSeconds(8)));
        worker.start();
        RemoteEngine engine = new RemoteEngine(
                new RemoteSettings(
                        "w",
                        "127.0.0.1",
                        worker.port(),
                        null,
                        Loopback.SECRET,
                        Loopback.LONG,
                        Loopback.LONG,
                        Loopback.LONG),
                new EngineInfo("fake", "?", true),
                fake::scan);
        try (fake;
                worker;
                engine) {
            use.with(engine);
            Awaitility.await().until(() -> worker.running() == 0);
        }
    }

    private static EngineException failure(RemoteEngine engine) {
        return catchThrowableOfType(EngineException.class, () -> Rows.of(engine, EngineQuery.read("q", "select 1")));
    }

    @Test
    void columnsWithDictionariesAreRefusedClearly() {
        Field encoded = new Field("e", new FieldType(true, INT, new DictionaryEncoding(1, false, null)), null);
        Field list = new Field("l", FieldType.nullable(ArrowType.List.INSTANCE), List.of(encoded));
        serve(new FakeEngine(new Schema(List.of(list)), null), engine -> {
            EngineException failure = failure(engine);
            assertThat(failure.failure()).isEqualTo(EngineFailure.UNSUPPORTED);
            assertThat(failure).hasMessageContaining("dictionary");
        });
    }

    @Test
    void thePeakOfMemoryIsToldWithTheEnd() {
        Schema schema = new Schema(List.of(new Field("i", FieldType.nullable(INT), null)));
        serve(new FakeEngine(schema, null), engine -> {
            ArrowResult result =
                    Rows.await(engine.execute(EngineQuery.read("q", "select 1")).result());
            assertThat(Rows.drain(result)).isEmpty();
            assertThat(result.peakMemoryBytes()).hasValue(12_345);
        });
    }

    @Test
    void anEngineThatThrowsFailsTheQueryOnly() {
        serve(new FakeEngine(new Schema(List.of()), new IllegalStateException("select secret")), engine -> {
            for (int i = 0; i < 3; i++) {
                EngineException failure = failure(engine);
                assertThat(failure.failure()).isEqualTo(EngineFailure.INTERNAL);
                assertThat(failure.getMessage()).doesNotContain("secret");
            }
        });
    }
}
