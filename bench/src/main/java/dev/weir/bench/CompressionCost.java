package dev.weir.bench;

import dev.weir.gateway.query.BufferCompression;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.channels.Channels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.arrow.compression.CommonsCompressionFactory;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.ReadChannel;
import org.apache.arrow.vector.ipc.WriteChannel;
import org.apache.arrow.vector.ipc.message.ArrowMessage;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.ipc.message.MessageSerializer;

/** What compressing the buffers of lineitem's batches saves in bytes and costs in CPU time, on one thread. */
final class CompressionCost {

    private static final int BATCH_ROWS = 65_536;
    private static final int WARM_UPS = 1;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private CompressionCost() {}

    /** One pass over all rows: bytes sent, and nanoseconds of CPU time on either side. */
    private record Pass(long bytes, long compress, long decompress) {}

    static void run(Path source, long rows, int rounds) throws Exception {
        // CPU seconds for each GB that it has without compression: written as messages, and read again in Java.
        Bench.print("lineitem, " + rows + " rows", "MB", "of plain", "write", "read");
        try (BufferAllocator allocator = new RootAllocator();
                Lineitem lineitem = Lineitem.load(source, BATCH_ROWS, allocator)) {
            long plain = pass(lineitem, rows, BufferCompression.NONE, allocator).bytes();
            for (BufferCompression compression : BufferCompression.values()) {
                List<Pass> passes = new ArrayList<>();
                for (int round = -WARM_UPS; round < rounds; round++) {
                    Pass pass = pass(lineitem, rows, compression, allocator);
                    if (round >= 0) {
                        passes.add(pass);
                    }
                }
                Bench.print(
                        compression.toString(),
                        text("%.0f", passes.get(0).bytes() / 1e6),
                        text("%.0f %%", 100.0 * passes.get(0).bytes() / plain),
                        text("%.2f", median(passes.stream().map(Pass::compress).toList()) / (double) plain),
                        text(
                                "%.2f",
                                median(passes.stream().map(Pass::decompress).toList()) / (double) plain));
            }
        }
    }

    private static Pass pass(Lineitem lineitem, long rows, BufferCompression compression, BufferAllocator allocator)
            throws Exception {
        long bytes = 0;
        long compress = 0;
        long decompress = 0;
        try (ArrowReader reader = lineitem.stream(rows);
                VectorSchemaRoot read =
                        VectorSchemaRoot.create(reader.getVectorSchemaRoot().getSchema(), allocator)) {
            VectorUnloader vectors = new VectorUnloader(reader.getVectorSchemaRoot());
            while (reader.loadNextBatch()) {
                long start = THREADS.getCurrentThreadCpuTime();
                ByteArrayOutputStream message = new ByteArrayOutputStream();
                try (ArrowRecordBatch batch = compression.compress(vectors.getRecordBatch(), allocator)) {
                    MessageSerializer.serialize(new WriteChannel(Channels.newChannel(message)), batch);
                }
                byte[] sent = message.toByteArray();
                long between = THREADS.getCurrentThreadCpuTime();
                ReadChannel channel = new ReadChannel(Channels.newChannel(new ByteArrayInputStream(sent)));
                try (ArrowMessage batch = MessageSerializer.deserializeMessageBatch(channel, allocator)) {
                    new VectorLoader(read, CommonsCompressionFactory.INSTANCE).load((ArrowRecordBatch) batch);
                }
                decompress += THREADS.getCurrentThreadCpuTime() - between;
                compress += between - start;
                bytes += sent.length;
            }
        }
        return new Pass(bytes, compress, decompress);
    }

    private static long median(List<Long> values) {
        List<Long> sorted = new ArrayList<>(values);
        Collections.sort(sorted);
        return sorted.get(sorted.size() / 2);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }
}
