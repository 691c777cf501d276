package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.gateway.query.GatewayException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.NullVector;
import org.apache.arrow.vector.TinyIntVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.FixedSizeListVector;
import org.apache.arrow.vector.complex.ListVector;
import org.apache.arrow.vector.complex.MapVector;
import org.apache.arrow.vector.complex.StructVector;
import org.apache.arrow.vector.complex.UnionVector;
import org.apache.arrow.vector.complex.impl.UnionListWriter;
import org.apache.arrow.vector.complex.impl.UnionMapWriter;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.Test;

/** Enums, nested values and whole bodies in JSON, NDJSON and CSV. */
class NestedFormatsTest extends GoldenFormats {

    @Test
    void enumsAreTheirTexts() {
        DictionaryEncoding encoding = new DictionaryEncoding(1, false, new ArrowType.Int(8, true));
        try (VarCharVector values = new VarCharVector("values", allocator)) {
            values.allocateNew(2);
            values.setSafe(0, "red".getBytes(StandardCharsets.UTF_8));
            values.setSafe(1, "a,b".getBytes(StandardCharsets.UTF_8));
            values.setValueCount(2);
            MapDictionaryProvider provider = new MapDictionaryProvider(new Dictionary(values, encoding));
            Golden golden = golden(
                    () -> {
                        TinyIntVector v = new TinyIntVector(
                                "c", new FieldType(true, encoding.getIndexType(), encoding), allocator);
                        v.allocateNew(3);
                        v.set(0, 1);
                        v.set(1, 0);
                        v.setNull(2);
                        return filled(v, 3);
                    },
                    provider);
            assertThat(golden)
                    .isEqualTo(
                            new Golden(List.of("\"a,b\"", "\"red\"", "null"), List.of("\"a,b\"", "red", ""), "ENUM"));
        }
    }

    @Test
    void listsAreArraysAndJsonInCsv() {
        Golden golden = golden(() -> {
            ListVector v = ListVector.empty("c", allocator);
            UnionListWriter writer = v.getWriter();
            writer.allocate();
            writer.setPosition(0);
            writer.startList();
            writer.bigInt().writeBigInt(1);
            writer.bigInt().writeNull();
            writer.bigInt().writeBigInt(9007199254740992L);
            writer.endList();
            writer.setPosition(1);
            writer.startList();
            writer.endList();
            writer.setPosition(2);
            writer.writeNull();
            writer.setValueCount(3);
            return filled(v, 3);
        });
        assertThat(golden)
                .isEqualTo(new Golden(
                        List.of("[1,null,\"9007199254740992\"]", "[]", "null"),
                        List.of("\"[1,null,\"\"9007199254740992\"\"]\"", "[]", ""),
                        "BIGINT[]"));
    }

    @Test
    void arraysOfAFixedSizeAreArrays() {
        Golden golden = golden(() -> {
            FixedSizeListVector v = FixedSizeListVector.empty("c", 2, allocator);
            IntVector items = (IntVector) v.addOrGetVector(FieldType.nullable(new ArrowType.Int(32, true)))
                    .getVector();
            v.allocateNew();
            items.setSafe(0, 1);
            items.setSafe(1, 2);
            items.setSafe(2, 3);
            items.setSafe(3, 4);
            v.setNotNull(0);
            v.setNotNull(1);
            items.setValueCount(4);
            return filled(v, 2);
        });
        assertThat(golden)
                .isEqualTo(new Golden(List.of("[1,2]", "[3,4]"), List.of("\"[1,2]\"", "\"[3,4]\""), "INTEGER[2]"));
    }

    @Test
    void structsAreObjectsAlsoInsideEachOther() {
        Golden golden = golden(() -> {
            StructVector v = StructVector.empty("c", allocator);
            IntVector a = v.addOrGet("a", FieldType.nullable(new ArrowType.Int(32, true)), IntVector.class);
            StructVector b = v.addOrGet("b \"x\"", FieldType.nullable(new ArrowType.Struct()), StructVector.class);
            VarCharVector s = b.addOrGet("s", FieldType.nullable(new ArrowType.Utf8()), VarCharVector.class);
            v.allocateNew();
            a.setSafe(0, 7);
            s.setSafe(0, "\u00e9".getBytes(StandardCharsets.UTF_8));
            b.setIndexDefined(0);
            v.setIndexDefined(0);
            a.setValueCount(2);
            b.setValueCount(2);
            v.setNull(1);
            return filled(v, 2);
        });
        assertThat(golden.json()).containsExactly("{\"a\":7,\"b \\\"x\\\"\":{\"s\":\"\u00e9\"}}", "null");
        assertThat(golden.csv())
                .containsExactly("\"{\"\"a\"\":7,\"\"b \\\"\"x\\\"\"\"\":{\"\"s\"\":\"\"\u00e9\"\"}}\"", "");
        assertThat(golden.type())
                .isEqualTo("STRUCT(\"a\" INTEGER, \"b \\\"\"x\\\"\"\" STRUCT(\"s\" VARCHAR))".replace("\\", ""));
    }

    @Test
    void mapsAreArraysOfPairs() {
        Golden golden = golden(() -> {
            MapVector v = MapVector.empty("c", allocator, false);
            UnionMapWriter writer = v.getWriter();
            writer.allocate();
            writer.setPosition(0);
            writer.startMap();
            writer.startEntry();
            writer.key().integer().writeInt(1);
            writer.value().integer().writeInt(10);
            writer.endEntry();
            writer.startEntry();
            writer.key().integer().writeInt(2);
            writer.value().integer().writeNull();
            writer.endEntry();
            writer.endMap();
            writer.setValueCount(1);
            return filled(v, 1);
        });
        assertThat(golden)
                .isEqualTo(new Golden(
                        List.of("[[1,10],[2,null]]"), List.of("\"[[1,10],[2,null]]\""), "MAP(INTEGER, INTEGER)"));
    }

    @Test
    void unionsAreTheirMember() {
        // As an engine sends them: type ids are positions, which is not what the vector's own field says.
        Field a = new Field("a", FieldType.nullable(new ArrowType.Int(32, true)), null);
        Field b = new Field("b", FieldType.nullable(new ArrowType.Int(32, true)), null);
        FieldType type = FieldType.nullable(new ArrowType.Union(UnionMode.Sparse, new int[] {0, 1}));
        Field field = new Field("c", type, List.of(a, b));
        UnionVector v = new UnionVector("c", allocator, type, null);
        v.initializeChildrenFromFields(List.of(a, b));
        v.allocateNew();
        for (int i = 0; i < 2; i++) {
            IntVector member = (IntVector) v.getChildrenFromFields().get(i);
            member.allocateNew(3);
            member.set(i, 10 + i);
            member.setValueCount(3);
        }
        v.setValueCount(3);
        v.getTypeBuffer().setByte(0, 0);
        v.getTypeBuffer().setByte(1, 1);
        v.getTypeBuffer().setByte(2, 0);
        VectorSchemaRoot root = new VectorSchemaRoot(new Schema(List.of(field)), List.of(v), 3);

        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.of(root)))
                .isEqualTo("{\"c\":10}\n{\"c\":11}\n{\"c\":null}\n");
    }

    @Test
    void aColumnOfNothingIsNull() {
        Golden golden = golden(() -> filled(new NullVector("c"), 2));
        assertThat(golden).isEqualTo(new Golden(List.of("null", "null"), List.of("", ""), "NULL"));
    }

    @Test
    void columnsOfOneNameKeepAllValuesInNdjson() {
        BigIntVector[] columns = new BigIntVector[4];
        String[] names = {"a", "a", "a_2", "a"};
        for (int i = 0; i < columns.length; i++) {
            columns[i] = new BigIntVector(names[i], allocator);
            columns[i].allocateNew(1);
            columns[i].set(0, i);
            columns[i].setValueCount(1);
        }
        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.of(columns)))
                .isEqualTo("{\"a\":0,\"a_3\":1,\"a_2\":2,\"a_4\":3}\n");
    }

    @Test
    void anEmptyResultHasItsColumns() {
        assertThat(Encoded.text(ResultFormat.JSON, FakeResult.numbers(allocator, 0, 0)))
                .isEqualTo("{\"queryId\":\"q1\",\"columns\":[{\"name\":\"n\",\"type\":\"BIGINT\",\"nullable\":true}],"
                        + "\"data\":[],\"rowCount\":0,\"truncated\":false}\n");
        assertThat(Encoded.text(ResultFormat.CSV, FakeResult.numbers(allocator, 0, 0)))
                .isEqualTo("n\r\n");
        assertThat(Encoded.text(ResultFormat.NDJSON, FakeResult.numbers(allocator, 0, 0)))
                .isEmpty();
    }

    @Test
    void chunksOfAnySizeGiveTheSameBody() {
        Map<ResultFormat, byte[]> whole = new HashMap<>();
        for (ResultFormat format : ResultFormat.values()) {
            whole.put(format, Encoded.bytes(format, FakeResult.numbers(allocator, 3, 700), 1 << 20));
        }
        for (int chunk : new int[] {1, 7, 64, 1000, 8000, 8192}) {
            for (ResultFormat format : ResultFormat.values()) {
                assertThat(Encoded.bytes(format, FakeResult.numbers(allocator, 3, 700), chunk))
                        .as("%s in chunks of %s", format, chunk)
                        .isEqualTo(whole.get(format));
            }
        }
    }

    @Test
    void aTypeWithoutTextFormIsRefusedByName() {
        FieldVector odd = new org.apache.arrow.vector.complex.LargeListViewVector(
                "odd", allocator, FieldType.nullable(new ArrowType.LargeListView()), null);
        FakeResult result = FakeResult.of(odd);
        result.root().setRowCount(1);
        assertThatThrownBy(() -> Encoded.text(ResultFormat.CSV, result))
                .isInstanceOf(GatewayException.class)
                .hasMessageContaining("odd")
                .hasMessageContaining("application/vnd.apache.arrow.stream");
    }
}
