package dev.weir.gateway.http;

import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.arrow.vector.BaseIntVector;
import org.apache.arrow.vector.BaseLargeVariableWidthVector;
import org.apache.arrow.vector.BaseVariableWidthVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.Decimal256Vector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.ExtensionTypeVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.FixedSizeBinaryVector;
import org.apache.arrow.vector.Float2Vector;
import org.apache.arrow.vector.Float4Vector;
import org.apache.arrow.vector.Float8Vector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.UInt2Vector;
import org.apache.arrow.vector.UInt8Vector;
import org.apache.arrow.vector.UuidVector;
import org.apache.arrow.vector.ValueVector;
import org.apache.arrow.vector.ViewVarBinaryVector;
import org.apache.arrow.vector.ViewVarCharVector;
import org.apache.arrow.vector.complex.BaseListVector;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.LargeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.ListViewVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.RunEndEncodedVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.SerializableString;
import tools.jackson.core.io.SerializedString;

/** Chooses the writer of each column by its vector. */
final class ColumnWriters {

    /** DECIMAL up to this precision fits a long. */
    private static final int LONG_DIGITS = 18;

    private final DictionaryProvider dictionaries;

    ColumnWriters(DictionaryProvider dictionaries) {
        this.dictionaries = dictionaries;
    }

    /**
     * @param fields of the vectors, from the schema: a union's vector does not know its own type ids
     */
    List<ColumnWriter> of(List<? extends ValueVector> vectors, List<Field> fields) {
        List<ColumnWriter> writers = new ArrayList<>(vectors.size());
        for (int i = 0; i < vectors.size(); i++) {
            writers.add(of(vectors.get(i), fields.get(i)));
        }
        return writers;
    }

    /**
     * @throws GatewayException when the type has no text form
     */
    ColumnWriter of(ValueVector vector, Field field) {
        DictionaryEncoding encoding = vector.getField().getDictionary();
        if (encoding != null && vector instanceof BaseIntVector index) {
            Dictionary dictionary = dictionaries.lookup(encoding.getId());
            if (dictionary == null) {
                throw new GatewayException(
                        GatewayErrorCode.INTERNAL,
                        "The values of column " + vector.getName() + " are missing from the result.");
            }
            return dictionary(
                    index, of(dictionary.getVector(), dictionary.getVector().getField()));
        }
        ColumnWriter writer = number(vector);
        if (writer == null) {
            writer = TemporalWriters.of(vector);
        }
        if (writer == null) {
            writer = bytes(vector);
        }
        if (writer == null) {
            writer = nested(vector, field);
        }
        if (writer == null) {
            throw new GatewayException(
                    GatewayErrorCode.EXECUTION_FAILED,
                    "Column " + vector.getName() + " of type " + ColumnTypes.name(vector.getField())
                            + " has no text form; cast it, or ask for application/vnd.apache.arrow.stream.");
        }
        return writer;
    }

    private static ColumnWriter dictionary(BaseIntVector index, ColumnWriter values) {
        return NestedWriters.selected(new NestedWriters.Select() {
            @Override
            public ColumnWriter writer(int row) {
                return index.isNull(row) ? ScalarWriters.nulls() : values;
            }

            @Override
            public int row(int row) {
                return index.isNull(row) ? 0 : (int) index.getValueAsLong(row);
            }
        });
    }

    private static @Nullable ColumnWriter number(ValueVector vector) {
        if (vector instanceof NullVector) {
            return ScalarWriters.nulls();
        }
        if (vector instanceof BitVector bits) {
            return ScalarWriters.booleans(bits, bits::get);
        }
        if (vector instanceof TinyIntVector bytes && "arrow.bool8".equals(ColumnTypes.extension(bytes.getField()))) {
            return ScalarWriters.booleans(bytes, bytes::get);
        }
        if (vector instanceof UInt8Vector unsigned) {
            return ScalarWriters.unsignedLongs(unsigned, unsigned::get);
        }
        if (vector instanceof UInt2Vector chars) {
            return ScalarWriters.integers(chars, chars::get);
        }
        if (vector instanceof BaseIntVector integers) {
            return ScalarWriters.integers(vector, integers::getValueAsLong);
        }
        if (vector instanceof Float8Vector doubles) {
            return ScalarWriters.doubles(doubles, false, doubles::get);
        }
        if (vector instanceof Float4Vector floats) {
            return ScalarWriters.doubles(floats, true, floats::get);
        }
        if (vector instanceof Float2Vector halves) {
            return ScalarWriters.doubles(halves, true, halves::getValueAsFloat);
        }
        if (vector instanceof DecimalVector decimals) {
            int scale = decimals.getScale();
            if (decimals.getPrecision() <= LONG_DIGITS) {
                return ScalarWriters.texts(
                        decimals,
                        (text, row) -> IsoText.decimal(
                                text, decimals.getDataBuffer().getLong((long) row * DecimalVector.TYPE_WIDTH), scale));
            }
            return ScalarWriters.texts(
                    decimals,
                    (text, row) -> text.put(decimals.getObjectNotNull(row).toPlainString()));
        }
        if (vector instanceof Decimal256Vector decimals) {
            return ScalarWriters.texts(
                    decimals,
                    (text, row) -> text.put(decimals.getObjectNotNull(row).toPlainString()));
        }
        return null;
    }

    private static @Nullable ColumnWriter bytes(ValueVector vector) {
        if (vector instanceof BaseVariableWidthVector values) {
            ScalarWriters.BytesAt at = (into, row) -> {
                int start = values.getStartOffset(row);
                into.copy(values.getDataBuffer(), start, values.getEndOffset(row) - start);
            };
            return textOrBinary(values.getField(), values, at);
        }
        if (vector instanceof BaseLargeVariableWidthVector values) {
            ScalarWriters.BytesAt at = (into, row) -> {
                long start = values.getOffsetBuffer().getLong(row * (long) Long.BYTES);
                long end = values.getOffsetBuffer().getLong((row + 1L) * Long.BYTES);
                into.copy(values.getDataBuffer(), start, Math.toIntExact(end - start));
            };
            return textOrBinary(values.getField(), values, at);
        }
        if (vector instanceof ViewVarCharVector values) {
            return ScalarWriters.strings(values, (into, row) -> into.set(values.get(row)));
        }
        if (vector instanceof ViewVarBinaryVector values) {
            return ScalarWriters.binaries(values, (into, row) -> into.set(values.get(row)));
        }
        if (vector instanceof FixedSizeBinaryVector values) {
            int width = values.getByteWidth();
            if ("arrow.uuid".equals(ColumnTypes.extension(values.getField())) && width == 16) {
                return uuid(values, values);
            }
            return ScalarWriters.binaries(
                    values, (into, row) -> into.copy(values.getDataBuffer(), (long) row * width, width));
        }
        if (vector instanceof UuidVector values) {
            return uuid(values, (FixedSizeBinaryVector) values.getUnderlyingVector());
        }
        return null;
    }

    private static ColumnWriter textOrBinary(Field field, ValueVector vector, ScalarWriters.BytesAt at) {
        ArrowType type = field.getType();
        boolean text = type instanceof ArrowType.Utf8 || type instanceof ArrowType.LargeUtf8;
        return text ? ScalarWriters.strings(vector, at) : ScalarWriters.binaries(vector, at);
    }

    private static ColumnWriter uuid(ValueVector vector, FixedSizeBinaryVector bytes) {
        return ScalarWriters.texts(vector, (text, row) -> {
            // Big-endian in the vector; the buffer reads little-endian.
            long offset = row * 16L;
            long high = Long.reverseBytes(bytes.getDataBuffer().getLong(offset));
            long low = Long.reverseBytes(bytes.getDataBuffer().getLong(offset + 8));
            text.put(new UUID(high, low).toString());
        });
    }

    private @Nullable ColumnWriter nested(ValueVector vector, Field field) {
        if (vector instanceof MapVector map) {
            StructVector entries = (StructVector) map.getDataVector();
            List<FieldVector> pair = entries.getChildrenFromFields();
            List<ColumnWriter> both = of(pair, field.getChildren().get(0).getChildren());
            return NestedWriters.map(map, range(map), both.get(0), both.get(1));
        }
        if (vector instanceof FixedSizeListVector list) {
            int size = list.getListSize();
            return NestedWriters.list(
                    list,
                    range(row -> row * size, row -> (row + 1) * size),
                    of(list.getDataVector(), field.getChildren().get(0)));
        }
        if (vector instanceof ListVector list) {
            return NestedWriters.list(
                    list,
                    range(list),
                    of(list.getDataVector(), field.getChildren().get(0)));
        }
        if (vector instanceof LargeListVector list) {
            return NestedWriters.list(
                    list,
                    range(
                            row -> Math.toIntExact(list.getElementStartIndex(row)),
                            row -> Math.toIntExact(list.getElementEndIndex(row))),
                    of(list.getDataVector(), field.getChildren().get(0)));
        }
        if (vector instanceof ListViewVector list) {
            return NestedWriters.list(
                    list,
                    range(list),
                    of(list.getDataVector(), field.getChildren().get(0)));
        }
        if (vector instanceof StructVector struct) {
            List<SerializableString> names = new ArrayList<>();
            for (Field child : field.getChildren()) {
                names.add(new SerializedString(child.getName()));
            }
            return NestedWriters.struct(struct, names, of(struct.getChildrenFromFields(), field.getChildren()));
        }
        if (vector instanceof ExtensionTypeVector<?> extension) {
            return of(
                    extension.getUnderlyingVector(),
                    extension.getUnderlyingVector().getField());
        }
        return union(vector, field);
    }

    private @Nullable ColumnWriter union(ValueVector vector, Field field) {
        if (vector instanceof UnionVector union) {
            List<ColumnWriter> members = of(union.getChildrenFromFields(), field.getChildren());
            int[] ids = ((ArrowType.Union) field.getType()).getTypeIds();
            return NestedWriters.selected(select(row -> member(members, ids, union.getTypeValue(row)), row -> row));
        }
        if (vector instanceof DenseUnionVector union) {
            List<ColumnWriter> members = of(union.getChildrenFromFields(), field.getChildren());
            int[] ids = ((ArrowType.Union) field.getType()).getTypeIds();
            return NestedWriters.selected(
                    select(row -> member(members, ids, union.getTypeId(row)), row -> union.getOffset(row)));
        }
        if (vector instanceof RunEndEncodedVector runs) {
            ColumnWriter values = of(runs.getValuesVector(), field.getChildren().get(1));
            return NestedWriters.selected(select(row -> values, row -> run(runs, row)));
        }
        return null;
    }

    private static int run(RunEndEncodedVector runs, int row) {
        BaseIntVector ends = (BaseIntVector) runs.getRunEndsVector();
        int run = 0;
        while (ends.getValueAsLong(run) <= row) {
            run++;
        }
        return run;
    }

    private static ColumnWriter member(List<ColumnWriter> members, int @Nullable [] ids, int id) {
        for (int i = 0; i < members.size(); i++) {
            if (ids != null && i < ids.length ? ids[i] == id : i == id) {
                return members.get(i);
            }
        }
        return ScalarWriters.nulls();
    }

    private interface WriterAt {
        ColumnWriter at(int row);
    }

    private interface RowAt {
        int at(int row);
    }

    private static NestedWriters.Select select(WriterAt writer, RowAt position) {
        return new NestedWriters.Select() {
            @Override
            public ColumnWriter writer(int row) {
                return writer.at(row);
            }

            @Override
            public int row(int row) {
                return position.at(row);
            }
        };
    }

    private static NestedWriters.Range range(BaseListVector list) {
        return range(list::getElementStartIndex, list::getElementEndIndex);
    }

    private static NestedWriters.Range range(RowAt start, RowAt end) {
        return new NestedWriters.Range() {
            @Override
            public int start(int row) {
                return start.at(row);
            }

            @Override
            public int end(int row) {
                return end.at(row);
            }
        };
    }
}
