package dev.weir.gateway.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/**
 * Writes a result that was read elsewhere as this front would answer it, piece by piece: {@link #batch} or {@link #end},
 * then {@link #next} until it gives null. One thread at a time; the batch must stay valid until then.
 */
public final class ResultWriter implements AutoCloseable {

    private final ChunkOutput out;
    private final ResultEncoder encoder;
    private final String queryId;
    private final boolean countOnly;
    private boolean encoding;
    private boolean ended;
    private long rows;
    private long count;

    /**
     * @param mediaType of the body, without parameters; one that the front offers
     * @param queryId as the body shows it
     * @param counts whether the only value is the count of a statement that gives no rows
     */
    public ResultWriter(
            String mediaType, String queryId, Schema schema, DictionaryProvider dictionaries, boolean counts) {
        ResultFormat format = Arrays.stream(ResultFormat.values())
                .filter(offered -> offered.mediaType().toString().equals(mediaType))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(mediaType));
        this.out = new ChunkOutput(UnpooledByteBufAllocator.DEFAULT, format.chunkBytes());
        this.queryId = queryId;
        this.countOnly = counts && format == ResultFormat.JSON;
        this.encoder = switch (format) {
            case JSON -> new JsonEncoder(out, queryId, schema);
            case ARROW -> new ArrowEncoder(out, schema, dictionaries, UnaryOperator.identity());
            case NDJSON -> new NdjsonEncoder(out, queryId, schema);
            case CSV -> new CsvEncoder(out, schema);
        };
        if (!countOnly) {
            encoder.begin();
        }
    }

    /** The next rows. */
    public void batch(VectorSchemaRoot root, DictionaryProvider dictionaries) {
        if (root.getRowCount() == 0) {
            return;
        }
        rows += root.getRowCount();
        if (countOnly) {
            count = ((BigIntVector) root.getVector(0)).get(0);
        } else {
            encoder.batch(root, dictionaries, root.getRowCount());
            encoding = true;
        }
    }

    /** There are no more rows. */
    public void end() {
        ResultEncoder last = countOnly ? new CountEncoder(out, queryId, count) : encoder;
        last.end(rows, false);
        ended = true;
    }

    /** The next bytes of the body; null when the next rows, or the end, must come first. */
    public byte @Nullable [] next() {
        ByteBuf chunk = out.pollFull();
        while (chunk == null && encoding) {
            encoding = !encoder.encode();
            chunk = out.pollFull();
        }
        if (chunk == null && ended) {
            chunk = out.pollPartial();
        }
        if (chunk == null) {
            return null;
        }
        try {
            return ByteBufUtil.getBytes(chunk);
        } finally {
            chunk.release();
        }
    }

    @Override
    public void close() {
        encoder.close();
        out.release();
    }
}
