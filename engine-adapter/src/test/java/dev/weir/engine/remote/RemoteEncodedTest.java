package dev.weir.engine.remote;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.ArrowResult;
import dev.weir.engine.EncodedBatch;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.QueryContext;
import dev.weir.engine.Rows;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.MessageSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches that are handed on as they came are the ones that are decoded. */
class RemoteEncodedTest {

    private static final EngineQuery TYPES = Loopback.query(
            "select i::int as i, case when i % 3 = 0 then null else 's' || i end as s, i::decimal(20,3) as d, "
                    + "[i, null, i + 1] as l, {'a': i, 'b': [i::varchar]} as st, i % 2 = 0 as b, "
                    + "timestamptz '2024-01-01 00:00:00+00' + to_seconds(i) as ts, map {i: 'x'} as m, "
                    + "'x'::blob as bl, null as n, interval (i) seconds as iv "
                    + "from range(25000) t(i)",
            10_000, QueryContext.NONE);

    @TempDir
    Path directory;

    private Loopback loopback;
    private RemoteEngine engine;

    @BeforeEach
    void open() {
        loopback = Loopback.open(directory);
        engine = loopback.connect();
    }

    @AfterEach
    void close() {
        loopback.close();
    }

    private ArrowResult run() {
        return Rows.await(engine.execute(TYPES).result());
    }

    private static void add(VectorSchemaRoot root, List<List<String>> rows) {
        for (int row = 0; row < root.getRowCount(); row++) {
            List<String> values = new ArrayList<>();
            for (FieldVector vector : root.getFieldVectors()) {
                Object value = vector.getObject(row);
                values.add(value instanceof byte[] bytes ? new String(bytes) : String.valueOf(value));
            }
            rows.add(values);
        }
    }

    private static List<List<String>> decoded(ArrowResult result) {
        List<List<String>> rows = new ArrayList<>();
        try (result) {
            while (Rows.await(result.next())) {
                add(result.root(), rows);
            }
        }
        return rows;
    }

    private static void write(EncodedBatch batch, WriteChannel out) throws IOException {
        ByteBuffer metadata = batch.metadata();
        assertThat(metadata.position()).isZero();
        assertThat(metadata.isReadOnly()).isTrue();
        MessageSerializer.writeMessageBuffer(out, metadata.remaining(), metadata);
        out.align();
        byte[] body = batch.body().readAllBytes();
        assertThat(body).hasSize((int) batch.bodyLength());
        out.write(body);
    }

    @Test
    void encodedEqualsDecodedEqualsTheEngine() throws IOException {
        List<List<String>> local =
                decoded(Rows.await(loopback.duck.execute(TYPES).result()));
        assertThat(decoded(run())).isEqualTo(local).hasSize(25_000);

        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        WriteChannel out = new WriteChannel(Channels.newChannel(stream));
        try (ArrowResult result = run()) {
            assertThat(result.givesEncoded()).isTrue();
            MessageSerializer.serialize(out, result.schema());
            EncodedBatch batch;
            while ((batch = Rows.await(result.nextEncoded())) != null) {
                write(batch, out);
                batch.close();
            }
            assertThat(Rows.await(result.nextEncoded())).isNull();
            assertThat(Rows.await(result.next())).isFalse();
        }
        List<List<String>> read = new ArrayList<>();
        try (RootAllocator allocator = new RootAllocator();
                ArrowStreamReader reader =
                        new ArrowStreamReader(new ByteArrayInputStream(stream.toByteArray()), allocator)) {
            while (reader.loadNextBatch()) {
                add(reader.getVectorSchemaRoot(), read);
            }
        }
        assertThat(read).isEqualTo(local);
    }

    @Test
    void bothWaysMayBeMixed() {
        long rows = 0;
        try (ArrowResult result = run()) {
            while (Rows.await(result.next())) {
                rows += result.root().getRowCount();
                EncodedBatch batch = Rows.await(result.nextEncoded());
                if (batch != null) {
                    rows += batch.rows();
                    batch.close();
                    batch.close();
                }
            }
        }
        assertThat(rows).isEqualTo(25_000);
    }

    @Test
    void aBatchOutlivesItsResult() throws IOException {
        ArrowResult result = run();
        EncodedBatch batch = Rows.await(result.nextEncoded());
        result.close();
        Rows.await(result.stopped());
        assertThat(engine.stats().arrowBytes()).isEqualTo(batch.bodyLength());
        assertThat(batch.body().readAllBytes()).hasSize((int) batch.bodyLength());
        batch.close();
        assertThat(engine.stats().arrowBytes()).isZero();
    }
}
