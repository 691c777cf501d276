package dev.weir.engine.duckdb;

import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Holds what was derived from DuckDB's types against what DuckDB exports. */
final class ExportedSchema {

    private static final Logger log = LoggerFactory.getLogger(ExportedSchema.class);

    private ExportedSchema() {}

    /** The derived schema; should DuckDB export other types, then those, under the derived names. */
    static Schema of(Schema derived, Schema exported) {
        List<Field> expected = derived.getFields();
        List<Field> actual = exported.getFields();
        for (int i = 0; i < actual.size(); i++) {
            if (!expected.get(i).getFieldType().equals(actual.get(i).getFieldType())
                    || !expected.get(i).getChildren().equals(actual.get(i).getChildren())) {
                log.warn("Column {} is exported as {}, described as {}", i, actual.get(i), expected.get(i));
                return renamed(expected, actual);
            }
        }
        return derived;
    }

    private static Schema renamed(List<Field> names, List<Field> types) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            Field type = types.get(i);
            fields.add(new Field(names.get(i).getName(), type.getFieldType(), type.getChildren()));
        }
        return new Schema(fields);
    }
}
