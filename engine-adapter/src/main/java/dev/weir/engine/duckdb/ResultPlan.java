package dev.weir.engine.duckdb;

import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.duckdb.ScannedStatement.Shape;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBResultSetMetaData;
import org.duckdb.StatementReturnType;

/**
 * The columns of a result and how each goes to clients. Describing and executing derive the schema here, so that both
 * give the same.
 *
 * @param names as the client wrote them; may repeat
 * @param types as DuckDB has them, before any cast
 */
record ResultPlan(List<String> names, List<DuckType> types) {

    /** Beyond this many hours an interval's nanoseconds overflow Arrow's 64 bits. */
    private static final int MAX_INTERVAL_HOURS = 2_562_047;

    private static final int MAX_DEPTH = 30;

    private static final Set<String> UNBOUNDED = Set.of("BLOB", "GEOMETRY", "VARIANT", "BIT");

    static ResultPlan of(ResultSetMetaData metadata) throws SQLException {
        List<String> names = new ArrayList<>();
        List<DuckType> types = new ArrayList<>();
        for (int i = 1; i <= metadata.getColumnCount(); i++) {
            names.add(metadata.getColumnName(i));
            types.add(DuckType.parse(metadata.getColumnTypeName(i)));
        }
        return new ResultPlan(List.copyOf(names), List.copyOf(types)).checkDepth();
    }

    /** Whether DuckDB answers with rows, and not with a count or a flag in the shape of one. */
    static boolean givesRows(ResultSetMetaData metadata) {
        return ((DuckDBResultSetMetaData) metadata).getReturnType() == StatementReturnType.QUERY_RESULT;
    }

    /** Whether DuckDB could not tell the columns: a parameter without a type, or a PIVOT. */
    boolean isUnknown() {
        return types.stream().anyMatch(type -> type.is("UNKNOWN"));
    }

    Schema schema(String zone) {
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            fields.add(ArrowFields.of(names.get(i), types.get(i).wire(), zone));
        }
        return new Schema(fields);
    }

    /**
     * Arrow's C interface, which the driver exports through, ends at 64 levels.
     *
     * @throws EngineException UNSUPPORTED, with the column's name
     */
    private ResultPlan checkDepth() {
        for (int i = 0; i < types.size(); i++) {
            if (types.get(i).depth() > MAX_DEPTH) {
                throw new EngineException(
                        EngineFailure.UNSUPPORTED,
                        "Column \"" + names.get(i) + "\" nests deeper than " + MAX_DEPTH
                                + " levels, which Arrow cannot carry; cast it to VARCHAR",
                        "0A000",
                        -1,
                        null);
            }
        }
        return this;
    }

    /** Whether columns must be cast before Arrow may carry them. */
    boolean needsCasts() {
        return types.stream()
                .anyMatch(type -> type.is("INTERVAL") || !type.wire().equals(type));
    }

    /**
     * The statement with those casts around it.
     *
     * @throws EngineException UNSUPPORTED, with the column's name, when nothing can be put around the statement
     */
    SqlText cast(SqlText text, Shape shape) {
        StringBuilder columns = new StringBuilder();
        StringBuilder aliases = new StringBuilder();
        for (int i = 0; i < types.size(); i++) {
            String separator = i == 0 ? "" : ", ";
            aliases.append(separator).append('c').append(i);
            columns.append(separator).append(expression(i)).append(" AS c").append(i);
        }
        return switch (shape) {
            case RELATION -> text.wrapped("SELECT " + columns + " FROM (", "\n) AS weir_result(" + aliases + ")");
            case RETURNING ->
                text.wrapped("WITH weir_result(" + aliases + ") AS (", "\n) SELECT " + columns + " FROM weir_result");
            case OPAQUE -> throw refuse();
        };
    }

    private String expression(int i) {
        DuckType type = types.get(i);
        String alias = "c" + i;
        if (type.is("INTERVAL")) {
            String refusal =
                    "Column \"" + names.get(i) + "\" holds an interval that Arrow cannot carry; cast it to VARCHAR";
            return "CASE WHEN abs(date_part('hour', " + alias + ")) >= " + MAX_INTERVAL_HOURS + " THEN error('"
                    + refusal.replace("'", "''") + "') ELSE " + alias + " END";
        }
        DuckType wire = type.wire();
        return wire.equals(type) ? alias : "CAST(" + alias + " AS " + wire.sql() + ")";
    }

    private EngineException refuse() {
        for (int i = 0; i < types.size(); i++) {
            DuckType type = types.get(i);
            if (type.is("INTERVAL") || !type.wire().equals(type)) {
                return new EngineException(
                        EngineFailure.UNSUPPORTED,
                        "Column \"" + names.get(i) + "\" has a type that Arrow cannot carry here; cast it to VARCHAR",
                        "0A000",
                        -1,
                        null);
            }
        }
        throw new IllegalStateException("Nothing to cast");
    }

    /** Rows a batch may have when the rows can be of any width: fewer than asked for, since no size is known before. */
    int batchRows(int asked) {
        boolean wide = types.stream().anyMatch(type -> type.contains(UNBOUNDED));
        return wide ? Math.min(asked, 4096) : asked;
    }
}
