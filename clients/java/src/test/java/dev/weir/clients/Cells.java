package dev.weir.clients;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** Values as text that is equal exactly when the values are, whatever class a driver gives them. */
final class Cells {

    private Cells() {}

    static String text(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Float || value instanceof Double) {
            return Double.toString(((Number) value).doubleValue());
        }
        if (value instanceof Date date) {
            return date.toLocalDate().toString();
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().formatHex(bytes);
        }
        return value.toString();
    }

    /** All rows of a result. */
    static List<List<String>> rows(ResultSet result) throws SQLException {
        List<List<String>> rows = new ArrayList<>();
        int columns = result.getMetaData().getColumnCount();
        while (result.next()) {
            List<String> row = new ArrayList<>(columns);
            for (int i = 1; i <= columns; i++) {
                row.add(text(result.getObject(i)));
            }
            rows.add(row);
        }
        return rows;
    }

    static List<List<String>> rows(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            return rows(result);
        }
    }

    /** All rows of an Arrow stream. */
    static List<List<String>> rows(ArrowReader reader) throws Exception {
        List<List<String>> rows = new ArrayList<>();
        VectorSchemaRoot root = reader.getVectorSchemaRoot();
        while (reader.loadNextBatch()) {
            for (int row = 0; row < root.getRowCount(); row++) {
                List<String> cells = new ArrayList<>();
                for (FieldVector vector : root.getFieldVectors()) {
                    cells.add(text(value(vector, row)));
                }
                rows.add(cells);
            }
        }
        return rows;
    }

    private static Object value(FieldVector vector, int row) {
        Object value = vector.getObject(row);
        return value instanceof Integer days && vector.getField().getType() instanceof ArrowType.Date
                ? LocalDate.ofEpochDay(days)
                : value;
    }
}
