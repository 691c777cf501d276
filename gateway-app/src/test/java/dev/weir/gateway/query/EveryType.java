package dev.weir.gateway.query;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.arrow.vector.BaseFixedWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthViewVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** A result with a column of every type, nulls and nesting. */
public final class EveryType {

    private static final List<ArrowType> SCALARS = List.of(
            new ArrowType.Null(),
            new ArrowType.Bool(),
            new ArrowType.Int(8, true),
            new ArrowType.Int(16, true),
            new ArrowType.Int(32, true),
            new ArrowType.Int(64, true),
            new ArrowType.Int(8, false),
            new ArrowType.Int(16, false),
            new ArrowType.Int(32, false),
            new ArrowType.Int(64, false),
            new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE),
            new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE),
            new ArrowType.Decimal(38, 3, 128),
            new ArrowType.Decimal(60, 0, 256),
            new ArrowType.Date(DateUnit.DAY),
            new ArrowType.Time(TimeUnit.MICROSECOND, 64),
            new ArrowType.Timestamp(TimeUnit.MICROSECOND, null),
            new ArrowType.Timestamp(TimeUnit.NANOSECOND, "UTC"),
            new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO),
            new ArrowType.Duration(TimeUnit.MILLISECOND),
            new ArrowType.Utf8(),
            new ArrowType.Binary(),
            new ArrowType.Utf8View(),
            new ArrowType.FixedSizeBinary(16));

    public static final Schema SCHEMA = schema();

    private EveryType() {}

    private static Schema schema() {
        List<Field> fields = new ArrayList<>();
        for (ArrowType type : SCALARS) {
            fields.add(Field.nullable("c" + fields.size(), type));
        }
        Field text = Field.nullable("t", new ArrowType.Utf8());
        Field number = Field.nullable("n", new ArrowType.Int(64, true));
        Field key = Field.notNullable("key", new ArrowType.Utf8());
        Field entry = new Field("entries", FieldType.notNullable(new ArrowType.Struct()), List.of(key, number));
        Field struct = new Field("s", FieldType.nullable(new ArrowType.Struct()), List.of(text, number));
        fields.add(struct);
        fields.add(new Field("l", FieldType.nullable(new ArrowType.List()), List.of(struct)));
        fields.add(new Field("f", FieldType.nullable(new ArrowType.FixedSizeList(3)), List.of(number)));
        fields.add(new Field("m", FieldType.nullable(new ArrowType.Map(false)), List.of(entry)));
        return new Schema(fields);
    }

    /** Puts so many rows into a root of {@link #SCHEMA}, the same ones each time. */
    public static void fill(VectorSchemaRoot root, int rows) {
        root.clear();
        for (FieldVector vector : root.getFieldVectors()) {
            fill(vector, rows);
        }
        root.setRowCount(rows);
    }

    /** Every cell, as text. */
    public static List<String> cells(VectorSchemaRoot root) {
        List<String> cells = new ArrayList<>();
        for (FieldVector vector : root.getFieldVectors()) {
            for (int row = 0; row < root.getRowCount(); row++) {
                Object value = vector.getObject(row);
                cells.add(value instanceof byte[] bytes ? Arrays.toString(bytes) : String.valueOf(value));
            }
        }
        return cells;
    }

    private static boolean isNull(FieldVector vector, int row) {
        return vector.getField().isNullable() && row % 5 == 4;
    }

    private static void fill(FieldVector vector, int rows) {
        if (vector instanceof BitVector bits) {
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    bits.setSafe(row, row % 2);
                }
            }
        } else if (vector instanceof BaseFixedWidthVector fixed) {
            fixed.allocateNew(rows);
            // What lies under a null shall be the same each time.
            fixed.zeroVector();
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    fixed.setIndexDefined(row);
                    fixed.getDataBuffer().setByte((long) row * fixed.getTypeWidth(), row);
                }
            }
        } else if (vector instanceof BaseVariableWidthVector texts) {
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    texts.setSafe(row, text(row));
                }
            }
        } else if (vector instanceof BaseVariableWidthViewVector views) {
            views.allocateNew();
            views.zeroVector();
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    views.setSafe(row, text(row));
                }
            }
        } else {
            fillNested(vector, rows);
        }
        vector.setValueCount(rows);
    }

    private static void fillNested(FieldVector vector, int rows) {
        if (vector instanceof ListVector lists) {
            int values = 0;
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    lists.startNewValue(row);
                    lists.endValue(row, row % 3);
                    values += row % 3;
                }
            }
            fill(lists.getDataVector(), values);
        } else if (vector instanceof FixedSizeListVector lists) {
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    lists.setNotNull(row);
                }
            }
            fill(lists.getDataVector(), rows * lists.getListSize());
        } else if (vector instanceof StructVector struct) {
            for (int row = 0; row < rows; row++) {
                if (!isNull(vector, row)) {
                    struct.setIndexDefined(row);
                }
            }
            for (FieldVector child : struct.getChildrenFromFields()) {
                fill(child, rows);
            }
        }
    }

    /** Longer than what a view keeps inline, now and then. */
    private static byte[] text(int row) {
        return ("text " + "x".repeat(row % 30) + row).getBytes(StandardCharsets.UTF_8);
    }
}
