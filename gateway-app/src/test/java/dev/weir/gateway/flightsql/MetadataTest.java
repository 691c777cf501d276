package dev.weir.gateway.flightsql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.MetadataRequest;
import dev.weir.engine.MetadataRequest.Kind;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.GatewayException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStatusCode;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.flight.sql.FlightSqlProducer.Schemas;
import org.apache.arrow.flight.sql.impl.FlightSql;
import org.apache.arrow.flight.sql.impl.FlightSql.SqlInfo;
import org.apache.arrow.flight.sql.util.TableRef;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.UInt4Vector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.complex.DenseUnionVector;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.Schema;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MetadataTest {

    private final FrontHarness harness = new FrontHarness();
    private final FlightSqlClient client = harness.as("bob");

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void everyQuestionIsAskedOfTheEngineAndAnsweredInTheSpecificationsColumns() throws Exception {
        Map<Supplier<FlightInfo>, MetadataRequest> questions = new HashMap<>();
        questions.put(client::getCatalogs, MetadataRequest.of(Kind.CATALOGS));
        questions.put(
                () -> client.getSchemas("lake", "r%"),
                new MetadataRequest(Kind.SCHEMAS, "lake", "r%", null, List.of(), false));
        questions.put(
                () -> client.getSchemas("%", null),
                new MetadataRequest(Kind.SCHEMAS, null, null, null, List.of(), false));
        questions.put(
                () -> client.getTables("lake", "r%", "t\\_%", List.of("TABLE"), true),
                new MetadataRequest(Kind.TABLES, "lake", "r%", "t\\_%", List.of("TABLE"), true));
        questions.put(
                () -> client.getTables("", null, null, null, false),
                new MetadataRequest(Kind.TABLES, "", null, null, List.of(), false));
        questions.put(client::getTableTypes, MetadataRequest.of(Kind.TABLE_TYPES));
        questions.put(
                () -> client.getPrimaryKeys(TableRef.of("lake", "raw", "t")),
                new MetadataRequest(Kind.PRIMARY_KEYS, "lake", "raw", "t", List.of(), false));
        questions.put(
                () -> client.getExportedKeys(TableRef.of(null, null, "t")),
                new MetadataRequest(Kind.EXPORTED_KEYS, null, null, "t", List.of(), false));
        questions.put(
                () -> client.getImportedKeys(TableRef.of("lake", "raw", "t")),
                new MetadataRequest(Kind.IMPORTED_KEYS, "lake", "raw", "t", List.of(), false));
        questions.put(client::getXdbcTypeInfo, MetadataRequest.of(Kind.XDBC_TYPE_INFO));
        harness.queries.catalog = request -> VectorSchemaRoot.create(
                new Schema(List.of(Field.nullable("unrelated", new ArrowType.Int(32, true)))), harness.allocator);

        for (Map.Entry<Supplier<FlightInfo>, MetadataRequest> question : questions.entrySet()) {
            FlightInfo info = question.getKey().get();
            try (FlightStream stream =
                    client.getStream(info.getEndpoints().get(0).getTicket())) {
                assertThat(stream.getSchema())
                        .isEqualTo(info.getSchemaOptional().orElseThrow());
                while (stream.next()) {}
            }
            MetadataRequest asked = harness.queries.catalogRequests.get(harness.queries.catalogRequests.size() - 1);
            assertThat(asked).isEqualTo(question.getValue());
        }
        assertThat(harness.queries.executions).isEmpty();
    }

    @Test
    void rowsArriveWhateverOrderTheEngineHasItsColumnsIn() throws Exception {
        harness.queries.catalog = request ->
                texts(List.of("db_schema_name", "catalog_name"), List.of("raw", "lake"), List.of("main", "other"));

        assertThat(rows(client.getSchemas(null, null)))
                .containsExactly(List.of("lake", "raw"), List.of("other", "main"));
    }

    @Test
    void aCrossReferenceGivesTheKeysBetweenTheTwoTables() throws Exception {
        List<String> columns = Schemas.GET_CROSS_REFERENCE_SCHEMA.getFields().stream()
                .map(Field::getName)
                .filter(name -> name.startsWith("pk_") || name.startsWith("fk_"))
                .filter(name -> !name.endsWith("key_name"))
                .toList();
        harness.queries.catalog = request -> texts(
                columns,
                columns.stream()
                        .map(c -> c.equals("fk_table_name") ? "orders" : c)
                        .toList(),
                columns.stream()
                        .map(c -> c.equals("fk_table_name") ? "invoices" : c)
                        .toList());

        FlightInfo info =
                client.getCrossReference(TableRef.of(null, null, "customers"), TableRef.of(null, null, "orders"));

        assertThat(rows(info)).singleElement().asList().contains("orders", "pk_column_name");
        assertThat(harness.queries.catalogRequests.get(0).tablePattern()).isEqualTo("customers");
    }

    @Test
    void typesAreFilteredByNumber() throws Exception {
        harness.queries.catalog = request -> {
            VectorSchemaRoot root = VectorSchemaRoot.create(
                    new Schema(List.of(
                            Field.notNullable("type_name", new ArrowType.Utf8()),
                            Field.notNullable("data_type", new ArrowType.Int(32, true)))),
                    harness.allocator);
            root.allocateNew();
            for (int row = 0; row < 3; row++) {
                ((VarCharVector) root.getVector(0)).setSafe(row, ("type" + row).getBytes(StandardCharsets.UTF_8));
                ((IntVector) root.getVector(1)).setSafe(row, row);
            }
            root.setRowCount(3);
            return root;
        };

        assertThat(rows(client.getXdbcTypeInfo(2))).singleElement().asList().contains("type2", "2");
        assertThat(rows(client.getXdbcTypeInfo())).hasSize(3);
    }

    @Test
    void aRefusedQuestionHasItsStatus() {
        harness.queries.catalog = request -> {
            throw new GatewayException(GatewayErrorCode.DRAINING, "The gateway stops.");
        };

        StatementsTest.assertStatus(() -> rows(client.getCatalogs()), FlightStatusCode.UNAVAILABLE, "stops");
    }

    @Test
    void sqlInfoTellsEveryFactTheBuilderKnows() throws Exception {
        Map<Integer, Object> facts = facts(client.getSqlInfo());

        assertThat(facts)
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_NAME_VALUE, "Weir (duckdb v1.0)")
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_VERSION_VALUE, "1.2.3")
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_READ_ONLY_VALUE, "false")
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_CANCEL_VALUE, "true")
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_BULK_INGESTION_VALUE, "false")
                .containsEntry(
                        SqlInfo.FLIGHT_SQL_SERVER_TRANSACTION_VALUE,
                        Integer.toString(FlightSql.SqlSupportedTransaction.SQL_SUPPORTED_TRANSACTION_TRANSACTION_VALUE))
                .containsEntry(SqlInfo.SQL_TRANSACTIONS_SUPPORTED_VALUE, "true")
                .containsEntry(SqlInfo.SQL_IDENTIFIER_QUOTE_CHAR_VALUE, "\"")
                .containsEntry(SqlInfo.FLIGHT_SQL_SERVER_STATEMENT_TIMEOUT_VALUE, "3600000");
        assertThat(facts).hasSize(SqlInfoCatalog.known().size());
    }

    @Test
    void sqlInfoTellsOnlyWhatWasAsked() throws Exception {
        assertThat(facts(client.getSqlInfo(SqlInfo.FLIGHT_SQL_SERVER_SQL))).containsOnlyKeys(4);
        assertThat(facts(client.getSqlInfo(List.of(4, 99_999)))).containsOnlyKeys(4);
        assertThat(facts(client.getSqlInfo(List.of(99_999)))).isEmpty();
    }

    private Map<Integer, Object> facts(FlightInfo info) throws Exception {
        Map<Integer, Object> facts = new HashMap<>();
        try (FlightStream stream = client.getStream(info.getEndpoints().get(0).getTicket())) {
            while (stream.next()) {
                UInt4Vector names = (UInt4Vector) stream.getRoot().getVector(0);
                DenseUnionVector values = (DenseUnionVector) stream.getRoot().getVector(1);
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    facts.put(names.get(row), String.valueOf(values.getObject(row)));
                }
            }
        }
        return facts;
    }

    private List<List<String>> rows(FlightInfo info) throws Exception {
        Ticket ticket = info.getEndpoints().get(0).getTicket();
        List<List<String>> rows = new ArrayList<>();
        try (FlightStream stream = client.getStream(ticket)) {
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    List<String> values = new ArrayList<>();
                    for (FieldVector vector : stream.getRoot().getFieldVectors()) {
                        values.add(String.valueOf(vector.getObject(row)));
                    }
                    rows.add(values);
                }
            }
        }
        return rows;
    }

    @SafeVarargs
    private VectorSchemaRoot texts(List<String> columns, List<String>... rows) {
        VectorSchemaRoot root = VectorSchemaRoot.create(
                new Schema(columns.stream()
                        .map(name -> Field.nullable(name, new ArrowType.Utf8()))
                        .toList()),
                harness.allocator);
        root.allocateNew();
        for (int row = 0; row < rows.length; row++) {
            for (int column = 0; column < columns.size(); column++) {
                ((VarCharVector) root.getVector(column))
                        .setSafe(row, rows[row].get(column).getBytes(StandardCharsets.UTF_8));
            }
        }
        root.setRowCount(rows.length);
        return root;
    }
}
