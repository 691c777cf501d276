package dev.weir.engine.duckdb;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.vector.ipc.message.ArrowFieldNode;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;

/**
 * Holds a batch against its schema before native code gets to see it: DuckDB follows every length, offset and index in
 * it without looking. Used once.
 */
final class BatchCheck {

    private final ArrowRecordBatch batch;
    private final Map<Long, Integer> dictionaries;
    private final List<ArrowFieldNode> nodes;
    private final List<ArrowBuf> buffers;
    private int node;
    private int buffer;
    private int variadic;

    /** The column that is looked at, for messages. */
    private String column = "";

    private BatchCheck(ArrowRecordBatch batch, Map<Long, Integer> dictionaries) {
        this.batch = batch;
        this.dictionaries = dictionaries;
        this.nodes = batch.getNodes();
        this.buffers = batch.getBuffers();
    }

    /**
     * @param fields of the batch in memory: dictionary-encoded ones with their index type
     * @param dictionaries rows of each dictionary that was loaded
     * @throws dev.weir.engine.EngineException INVALID_PARAMETER, with the column and what is wrong
     */
    static void check(List<Field> fields, ArrowRecordBatch batch, Map<Long, Integer> dictionaries) {
        BatchCheck check = new BatchCheck(batch, dictionaries);
        for (Field field : fields) {
            check.column = field.getName();
            check.field(field, batch.getLength(), true);
        }
        if (check.node != check.nodes.size() || check.buffer != check.buffers.size()) {
            throw Upload.corrupt("a batch has more than its schema says");
        }
    }

    /** One vector, of at least or exactly so many rows. */
    private long field(Field field, long rows, boolean exactly) {
        if (node >= nodes.size()) {
            throw Upload.corrupt("a batch has less than its schema says");
        }
        ArrowFieldNode head = nodes.get(node++);
        long length = head.getLength();
        if (exactly ? length != rows : length < rows) {
            throw corrupt("has " + length + " rows where there must be " + rows);
        }
        if (length > Integer.MAX_VALUE - 8 || head.getNullCount() < 0 || head.getNullCount() > length) {
            throw corrupt("a number of nulls or rows that cannot be");
        }
        int count = (int) length;
        ArrowType type = field.getType();
        switch (type.getTypeID()) {
            case Null -> {
                // Nothing is stored.
            }
            case Utf8, Binary -> strings(head, count, 4, type.getTypeID() == ArrowType.ArrowTypeID.Utf8);
            case LargeUtf8, LargeBinary -> strings(head, count, 8, type.getTypeID() == ArrowType.ArrowTypeID.LargeUtf8);
            case Utf8View, BinaryView -> views(head, count, type.getTypeID() == ArrowType.ArrowTypeID.Utf8View);
            case List, Map -> list(field, head, count, 4);
            case LargeList -> list(field, head, count, 8);
            case FixedSizeList -> {
                validity(head, count);
                field(field.getChildren().get(0), length * ((ArrowType.FixedSizeList) type).getListSize(), false);
            }
            case Struct -> {
                validity(head, count);
                for (Field child : field.getChildren()) {
                    field(child, length, true);
                }
            }
            case Union -> union(field, (ArrowType.Union) type, count);
            default -> fixed(field, head, count);
        }
        return length;
    }

    private RuntimeException corrupt(String what) {
        return Upload.corrupt(column, what);
    }

    private ByteBuffer next(long atLeast) {
        if (buffer >= buffers.size()) {
            throw Upload.corrupt("a batch has less than its schema says");
        }
        ArrowBuf found = buffers.get(buffer++);
        long length = found.writerIndex();
        if (length < atLeast) {
            throw corrupt("a buffer of " + length + " bytes where there must be " + atLeast);
        }
        return found.nioBuffer(0, (int) length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Which rows have a value, as those who read the vector see it. */
    private Validity validity(ArrowFieldNode head, int rows) {
        boolean mixed = head.getNullCount() > 0 && head.getNullCount() < rows;
        ByteBuffer bits = next(mixed ? (rows + 7L) / 8 : 0);
        return new Validity(mixed ? bits : null, head.getNullCount() == 0);
    }

    private void strings(ArrowFieldNode head, int rows, int width, boolean text) {
        Validity valid = validity(head, rows);
        ByteBuffer offsets = next(rows == 0 ? 0 : (rows + 1L) * width);
        ByteBuffer data = next(0);
        if (rows == 0) {
            return;
        }
        if (!Values.offsets(offsets, rows, width, data.limit())) {
            throw corrupt("offsets that lead out of its data, or back");
        }
        if (text && !Values.texts(offsets, rows, width, data, valid)) {
            throw corrupt("text that is not UTF-8");
        }
    }

    private void views(ArrowFieldNode head, int rows, boolean text) {
        Validity valid = validity(head, rows);
        ByteBuffer views = next(rows * 16L);
        long count = variadic < batch.getVariadicBufferCounts().size()
                ? batch.getVariadicBufferCounts().get(variadic++)
                : -1;
        if (count < 0 || count > buffers.size() - buffer) {
            throw corrupt("a number of data buffers that cannot be");
        }
        ByteBuffer[] data = new ByteBuffer[(int) count];
        for (int i = 0; i < count; i++) {
            data[i] = next(0);
        }
        if (!Values.views(views, rows, data, text, valid)) {
            throw corrupt("views that lead out of its data, or text that is not UTF-8");
        }
    }

    private void list(Field field, ArrowFieldNode head, int rows, int width) {
        validity(head, rows);
        ByteBuffer offsets = next(rows == 0 ? 0 : (rows + 1L) * width);
        int firstChild = node;
        long inside = field(field.getChildren().get(0), 0, false);
        if (rows > 0 && !Values.offsets(offsets, rows, width, inside)) {
            throw corrupt("offsets that lead out of its lists, or back");
        }
        if (field.getType().getTypeID() == ArrowType.ArrowTypeID.Map
                && (nodes.get(firstChild).getNullCount() > 0
                        || nodes.get(firstChild + 1).getNullCount() > 0)) {
            throw corrupt("a map with a key that is null");
        }
    }

    private void union(Field field, ArrowType.Union type, int rows) {
        boolean dense = type.getMode() == UnionMode.Dense;
        ByteBuffer types = next(rows);
        ByteBuffer offsets = dense ? next(rows * 4L) : null;
        List<Field> members = field.getChildren();
        long[] inside = new long[members.size()];
        for (int i = 0; i < inside.length; i++) {
            inside[i] = field(members.get(i), dense ? 0 : rows, !dense);
        }
        if (!Values.members(types, offsets, rows, inside)) {
            throw corrupt("a union with a member that there is not");
        }
    }

    private void fixed(Field field, ArrowFieldNode head, int rows) {
        Validity valid = validity(head, rows);
        ArrowType type = field.getType();
        long bits = bits(type);
        ByteBuffer data = next((rows * bits + 7) / 8);
        if (field.getDictionary() != null) {
            Integer size = dictionaries.get(field.getDictionary().getId());
            if (size == null) {
                throw corrupt("a dictionary that has not come");
            }
            if (!(type instanceof ArrowType.Int index) || !Values.indices(data, rows, index, size, valid)) {
                throw corrupt("an index outside of its dictionary");
            }
        } else if (type instanceof ArrowType.Decimal decimal) {
            if (!Values.decimals(data, rows, decimal.getPrecision(), valid)) {
                throw corrupt("a decimal with more than " + decimal.getPrecision() + " digits");
            }
        } else if (type instanceof ArrowType.Time time && !Values.times(data, rows, time, valid)) {
            throw corrupt("a time outside of the day");
        }
    }

    private static long bits(ArrowType type) {
        return switch (type.getTypeID()) {
            case Bool -> 1;
            case Int -> ((ArrowType.Int) type).getBitWidth();
            case FloatingPoint ->
                switch (((ArrowType.FloatingPoint) type).getPrecision()) {
                    case HALF -> 16;
                    case SINGLE -> 32;
                    case DOUBLE -> 64;
                };
            case Decimal -> 128;
            case FixedSizeBinary -> 8L * ((ArrowType.FixedSizeBinary) type).getByteWidth();
            case Date ->
                switch (((ArrowType.Date) type).getUnit()) {
                    case DAY -> 32;
                    case MILLISECOND -> 64;
                };
            case Time -> ((ArrowType.Time) type).getBitWidth();
            case Timestamp, Duration -> 64;
            case Interval -> {
                IntervalUnit unit = ((ArrowType.Interval) type).getUnit();
                yield unit == IntervalUnit.YEAR_MONTH ? 32 : unit == IntervalUnit.DAY_TIME ? 64 : 128;
            }
            default -> throw Upload.refused("The Arrow type " + type + " cannot be taken.");
        };
    }
}
