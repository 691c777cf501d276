package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** TPC-H through JDBC, cell by cell against DuckDB in this process. */
class JdbcTpchTest {

    private static Connection gateway;
    private static Connection own;

    @BeforeAll
    static void connect() throws Exception {
        gateway = Jdbc.connect(Gateway.shared(), Gateway.READER);
        own = Database.open(Gateway.shared().copyOfDatabase());
    }

    @AfterAll
    static void disconnect() throws Exception {
        gateway.close();
        own.close();
    }

    static List<Integer> queries() {
        return Tpch.numbers();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void everyCellIsThatOfDuckDb(int query) throws Exception {
        String sql = Tpch.sql(query);
        List<List<String>> expected = Cells.rows(own, sql);

        assertThat(expected).isNotEmpty();
        assertThat(Cells.rows(gateway, sql)).isEqualTo(expected);
    }
}
