package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.cli.tpch.TpchDatabase;
import dev.weir.gateway.cli.tpch.TpchProgress;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/** DuckDB in this process on a copy of the gateway's data: what every client must see, cell by cell. */
final class Oracle implements AutoCloseable {

    private final Connection connection;

    private Oracle(Connection connection) {
        this.connection = connection;
    }

    static Oracle on(Path database) throws SQLException {
        Properties readOnly = new Properties();
        readOnly.setProperty("duckdb.read_only", "true");
        return new Oracle(DriverManager.getConnection("jdbc:duckdb:" + database, readOnly));
    }

    static Oracle inMemory() throws SQLException {
        return new Oracle(DriverManager.getConnection("jdbc:duckdb:"));
    }

    /** TPC-H data of a scale, made once for each build and copied for each user. */
    static Path tpch(String scale, Path directory) throws Exception {
        Path kept = Path.of("target", "tpch-" + scale + ".duckdb").toAbsolutePath();
        synchronized (Oracle.class) {
            if (!Files.exists(kept)) {
                TpchDatabase.create(Double.parseDouble(scale), kept, false, new TpchProgress() {});
            }
        }
        return copy(kept, directory.resolve("tpch.duckdb"));
    }

    static Path copy(Path from, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        return Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
    }

    /** The 22 queries, shared with the other clients' tests. */
    static String query(int number) throws IOException {
        return Files.readString(Path.of("..", "clients", "tpch", String.format("q%02d.sql", number)));
    }

    List<List<String>> rows(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            int columns = result.getMetaData().getColumnCount();
            List<List<String>> rows = new ArrayList<>();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= columns; column++) {
                    row.add(text(result.getObject(column)));
                }
                rows.add(row);
            }
            return rows;
        }
    }

    /** Asks the gateway each of the 22 queries and compares every cell. */
    void assertSameCells(TestGateway gateway) throws Exception {
        for (int number = 1; number <= 22; number++) {
            String sql = query(number);
            assertThat(ArrowRows.of(gateway, sql)).as("query %d", number).isEqualTo(rows(sql));
        }
    }

    /** One text for equal values, whatever class a client gives them in; doubles by their bits. */
    static String text(Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof BigInteger
                || value instanceof Long
                || value instanceof Integer
                || value instanceof Short
                || value instanceof Byte) {
            return value.toString();
        }
        if (value instanceof Number number) {
            return "double " + Long.toHexString(Double.doubleToLongBits(number.doubleValue()));
        }
        return value.toString();
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
