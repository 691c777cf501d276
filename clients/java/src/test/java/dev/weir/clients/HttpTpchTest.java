package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TPC-H through HTTP as Arrow and as JSON, cell by cell against DuckDB in this process. */
class HttpTpchTest {

    private static Http http;
    private static Connection own;

    @BeforeAll
    static void connect() throws Exception {
        http = new Http(Gateway.shared());
        own = Database.open(Gateway.shared().copyOfDatabase());
    }

    @AfterAll
    static void disconnect() throws Exception {
        own.close();
    }

    static List<Integer> queries() {
        return Tpch.numbers();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void everyArrowCellIsThatOfDuckDb(int query) throws Exception {
        String sql = Tpch.sql(query);
        HttpResponse<InputStream> response = http.client()
                .send(
                        http.query(Gateway.READER, "application/vnd.apache.arrow.stream", sql),
                        BodyHandlers.ofInputStream());

        assertThat(response.statusCode()).isEqualTo(200);
        try (BufferAllocator allocator = new RootAllocator();
                ArrowStreamReader reader = new ArrowStreamReader(response.body(), allocator)) {
            assertThat(Cells.rows(reader)).isEqualTo(Cells.rows(own, sql));
        }
    }

    @ParameterizedTest
    @MethodSource("queries")
    void everyJsonCellIsThatOfDuckDb(int query) throws Exception {
        String sql = Tpch.sql(query);
        HttpResponse<InputStream> response =
                http.client().send(http.query(Gateway.READER, "application/json", sql), BodyHandlers.ofInputStream());

        assertThat(response.statusCode()).isEqualTo(200);
        JsonNode result = new ObjectMapper().readTree(response.body());
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode row : result.path("data")) {
            List<String> cells = new ArrayList<>();
            for (JsonNode cell : row) {
                // Decimals and large integers are strings: nothing is lost on the way.
                cells.add(cell.isDouble() ? Cells.text(cell.doubleValue()) : cell.isNull() ? "NULL" : cell.asText());
            }
            rows.add(cells);
        }
        List<List<String>> expected = Cells.rows(own, sql);
        assertThat(rows).isEqualTo(expected);
        assertThat(result.path("rowCount").asInt()).isEqualTo(expected.size());
    }
}
