package dev.weir.gateway.http;

import java.io.ByteArrayOutputStream;
import java.util.List;
import org.apache.arrow.vector.ValueVector;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;

/** Writers of values that have parts: JSON in every text format. */
final class NestedWriters {

    private NestedWriters() {}

    /** Finds the rows of a list's elements in its data vector. */
    interface Range {
        int start(int row);

        int end(int row);
    }

    /** Finds the entry of a dictionary or the member of a union. */
    interface Select {
        ColumnWriter writer(int row);

        int row(int row);
    }

    private abstract static class Nested extends ColumnWriter {
        private final ValueVector vector;

        Nested(ValueVector vector) {
            this.vector = vector;
        }

        @Override
        boolean isNull(int row) {
            return vector.isNull(row);
        }

        @Override
        final void csv(CsvOutput csv, int row) {
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            try (JsonGenerator json = JsonFormat.FACTORY.createGenerator(ObjectWriteContext.empty(), text)) {
                json(json, row);
            }
            csv.text(text.toByteArray(), text.size());
        }
    }

    static ColumnWriter list(ValueVector vector, Range range, ColumnWriter elements) {
        return new Nested(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                json.writeStartArray();
                int end = range.end(row);
                for (int i = range.start(row); i < end; i++) {
                    elements.jsonOrNull(json, i);
                }
                json.writeEndArray();
            }
        };
    }

    static ColumnWriter struct(ValueVector vector, List<SerializableString> names, List<ColumnWriter> fields) {
        return new Nested(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                json.writeStartObject();
                for (int i = 0; i < fields.size(); i++) {
                    json.writeName(names.get(i));
                    fields.get(i).jsonOrNull(json, row);
                }
                json.writeEndObject();
            }
        };
    }

    /** A map, as an array of key-value pairs: keys may be of any type, and an object would lose their order. */
    static ColumnWriter map(ValueVector vector, Range range, ColumnWriter keys, ColumnWriter values) {
        return new Nested(vector) {
            @Override
            void json(JsonGenerator json, int row) {
                json.writeStartArray();
                int end = range.end(row);
                for (int i = range.start(row); i < end; i++) {
                    json.writeStartArray();
                    keys.jsonOrNull(json, i);
                    values.jsonOrNull(json, i);
                    json.writeEndArray();
                }
                json.writeEndArray();
            }
        };
    }

    /** A value that stands elsewhere: a dictionary's entry, a union's member, a run's value. */
    static ColumnWriter selected(Select select) {
        return new ColumnWriter() {
            @Override
            boolean isNull(int row) {
                return select.writer(row).isNull(select.row(row));
            }

            @Override
            void json(JsonGenerator json, int row) {
                select.writer(row).json(json, select.row(row));
            }

            @Override
            void csv(CsvOutput csv, int row) {
                select.writer(row).csv(csv, select.row(row));
            }
        };
    }
}
