package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The 22 TPC-H queries through the HTTP front give what DuckDB gives. */
class TpchOverHttpTest {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(tools.jackson.databind.DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    @TempDir
    static Path directory;

    private static TestGateway gateway;
    private static Oracle oracle;

    @BeforeAll
    static void start() throws Exception {
        Path database = Oracle.tpch("0.1", directory);
        oracle = Oracle.on(Oracle.copy(database, directory.resolve("oracle.duckdb")));
        gateway = TestGateway.start(directory.resolve("data"), "--weir.engine.duckdb.database=" + database);
    }

    @AfterAll
    static void stop() throws Exception {
        if (gateway != null) {
            gateway.close();
        }
        if (oracle != null) {
            oracle.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22})
    void everyQueryEqualsTheOracleInArrowAndJson(int number) throws Exception {
        String sql = Oracle.query(number);
        List<List<String>> expected = oracle.rows(sql);
        assertThat(ArrowRows.of(gateway, sql)).isEqualTo(expected);
        assertThat(json(sql, expected)).isEqualTo(expected);
    }

    @Test
    void anEmptyResultHasItsSchema() throws Exception {
        String sql = "select l_orderkey, l_shipdate from lineitem where false";
        assertThat(ArrowRows.of(gateway, sql)).isEmpty();
        JsonNode body = JSON.readTree(
                gateway.sql(TestGateway.READER, "application/json", sql).body());
        assertThat(body.get("columns").size()).isEqualTo(2);
        assertThat(body.get("data").size()).isZero();
        assertThat(gateway.sql(TestGateway.READER, "text/csv", sql).body()).isEqualTo("l_orderkey,l_shipdate\r\n");
    }

    private static List<List<String>> json(String sql, List<List<String>> expected) throws Exception {
        HttpResponse<String> response = gateway.sql(TestGateway.READER, "application/json", sql);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        JsonNode data = JSON.readTree(response.body()).get("data");
        List<List<String>> rows = new ArrayList<>();
        for (int row = 0; row < data.size(); row++) {
            List<String> cells = new ArrayList<>();
            for (int column = 0; column < data.get(row).size(); column++) {
                boolean isDouble =
                        row < expected.size() && expected.get(row).get(column).startsWith("double ");
                cells.add(jsonCell(data.get(row).get(column), isDouble));
            }
            rows.add(cells);
        }
        return rows;
    }

    private static String jsonCell(JsonNode value, boolean isDouble) {
        if (value.isNull()) {
            return "NULL";
        }
        if (isDouble) {
            return Oracle.text(value.doubleValue());
        }
        return value.asString();
    }
}
