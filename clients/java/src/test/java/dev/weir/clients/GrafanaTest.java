package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightRuntimeException;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.vector.VarBinaryVector;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The calls of Grafana's Flight SQL data source: it shakes hands once, keeps the bearer for all that follows, and reads a
 * result only when it has exactly one endpoint.
 */
@Timeout(60)
class GrafanaTest {

    private Flight flight;

    @BeforeEach
    void shakeHands() throws Exception {
        flight = new Flight(Gateway.shared(), Gateway.READER);
    }

    @AfterEach
    void close() throws Exception {
        flight.close();
    }

    private List<List<String>> query(String sql) throws Exception {
        FlightInfo info = flight.sql().execute(sql, flight.bearer());
        assertThat(info.getEndpoints()).hasSize(1);
        assertThat(info.getEndpoints().get(0).getLocations()).isEmpty();
        return flight.rows(info);
    }

    @Test
    void theHealthCheckAnswers() throws Exception {
        assertThat(query("select 1")).containsExactly(List.of("1"));
    }

    @Test
    void aTokenOfTheConfigurationIsEnough() throws Exception {
        assertThatThrownBy(() -> flight.sql().execute("select 1", Flight.header("authorization", "Bearer wrong")))
                .isInstanceOfSatisfying(
                        FlightRuntimeException.class,
                        e -> assertThat(e.status().code()).isEqualTo(FlightStatusCode.UNAUTHENTICATED));
        FlightInfo info = flight.sql().execute("select 1", flight.bearer(), Flight.header("bucket-name", "any"));
        assertThat(flight.rows(info)).hasSize(1);
    }

    @Test
    void theServerIsDescribed() throws Exception {
        Map<String, String> facts = flight.rows(flight.sql().getSqlInfo(new int[0], flight.bearer())).stream()
                .collect(Collectors.toMap(row -> row.get(0), row -> row.get(1)));
        assertThat(facts.get("0")).startsWith("Weir (duckdb");
        assertThat(flight.rows(flight.sql().getSqlInfo(new int[] {0, 1}, flight.bearer())))
                .hasSize(2);
        assertThat(facts).containsKeys("3", "8", "100", "500", "508", "543");
    }

    /** The query builder asks for base tables, and then for the columns of one of them. */
    @Test
    void tablesAndColumnsAreFound() throws Exception {
        List<List<String>> tables =
                flight.rows(flight.sql().getTables(null, null, null, List.of("BASE TABLE"), false, flight.bearer()));
        assertThat(tables)
                .contains(List.of("demo", "main", "lineitem", "TABLE"))
                .noneMatch(table -> table.get(3).equals("VIEW"));

        FlightInfo info = flight.sql().getTables(null, null, "nation", null, true, flight.bearer());
        try (FlightStream stream =
                flight.client().getStream(info.getEndpoints().get(0).getTicket(), flight.bearer())) {
            assertThat(stream.next()).isTrue();
            byte[] schema = ((VarBinaryVector) stream.getRoot().getVector("table_schema")).get(0);
            assertThat(Schema.deserializeMessage(ByteBuffer.wrap(schema)).getFields())
                    .extracting(Field::getName)
                    .containsExactly("n_nationkey", "n_name", "n_regionkey", "n_comment");
            assertThat(stream.next()).isFalse();
        }
    }

    @Test
    void panelsOfADashboardShareTheBearer() throws Exception {
        List<CompletableFuture<List<List<String>>>> panels = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String sql = "select date_trunc('month', l_shipdate)::timestamp as time, count(*) as n from lineitem where"
                    + " l_linenumber = " + (i + 1) + " group by 1 order by 1";
            panels.add(CompletableFuture.supplyAsync(() -> {
                try {
                    return query(sql);
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            }));
        }
        for (CompletableFuture<List<List<String>>> panel : panels.subList(0, 7)) {
            assertThat(panel.get()).hasSizeGreaterThan(80);
        }
        assertThat(panels.get(7).get()).isEmpty();
    }

    /** The header keeps the data source going where the gateway's default is more than one. */
    @Test
    void oneEndpointCanBeAskedFor() throws Exception {
        assertThat(flight.sql()
                        .execute("select * from nation", flight.bearer(), Flight.header("weir-partitions", "4"))
                        .getEndpoints())
                .hasSize(4);
        assertThat(flight.sql()
                        .execute("select * from nation", flight.bearer(), Flight.header("weir-partitions", "1"))
                        .getEndpoints())
                .hasSize(1);
    }

    @Test
    void aFaultyQueryIsExplained() {
        assertThatThrownBy(() -> query("select * from nowhere"))
                .isInstanceOf(FlightRuntimeException.class)
                .hasMessageContaining("nowhere");
    }
}
