package dev.weir.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.dictionary.DictionaryProvider.MapDictionaryProvider;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.junit.jupiter.api.AfterEach;

/** What the text formats make of a column, for tests that compare it with golden texts. */
abstract class GoldenFormats {

    final BufferAllocator allocator = new RootAllocator();

    @AfterEach
    void everythingIsGivenBack() {
        allocator.close();
    }

    /** The values of one column: JSON values, CSV fields and the column's type. */
    record Golden(List<String> json, List<String> csv, String type) {}

    Golden golden(java.util.function.Supplier<FieldVector> column) {
        return golden(column, new MapDictionaryProvider());
    }

    Golden golden(java.util.function.Supplier<FieldVector> column, MapDictionaryProvider dictionaries) {
        String ndjson =
                Encoded.text(ResultFormat.NDJSON, FakeResult.of(column.get()).with(dictionaries));
        List<String> values = new ArrayList<>();
        for (String line : ndjson.split("\n", -1)) {
            if (!line.isEmpty()) {
                assertThat(line).startsWith("{\"c\":").endsWith("}");
                values.add(line.substring(5, line.length() - 1));
            }
        }
        String json =
                Encoded.text(ResultFormat.JSON, FakeResult.of(column.get()).with(dictionaries));
        String data = values.stream().map(v -> "[" + v + "]").collect(java.util.stream.Collectors.joining(","));
        assertThat(json).contains("\"data\":[" + data + "],\"rowCount\":" + values.size());
        String type =
                json.replaceAll("(?s).*\"type\":\"(.*)\",\"nullable\".*", "$1").replace("\\\"", "\"");
        String csv = Encoded.text(ResultFormat.CSV, FakeResult.of(column.get()).with(dictionaries));
        assertThat(csv).startsWith("c\r\n").endsWith("\r\n");
        List<String> fields = List.of(csv.substring(3, csv.length() - 2).split("\r\n", -1));
        return new Golden(values, fields, type);
    }

    static <V extends FieldVector> V filled(V vector, int count) {
        vector.setValueCount(count);
        return vector;
    }

    FieldType type(ArrowType type, Map<String, String> metadata) {
        return new FieldType(true, type, null, metadata);
    }
}
