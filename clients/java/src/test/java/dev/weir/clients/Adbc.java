package dev.weir.clients;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.adbc.core.AdbcConnection;
import org.apache.arrow.adbc.core.AdbcDatabase;
import org.apache.arrow.adbc.core.AdbcDriver;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlConnectionProperties;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlDriver;
import org.apache.arrow.adbc.sql.SqlQuirks;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.types.pojo.ArrowType;

/** A connection of the ADBC Java driver, with the gateway's certificate as the only authority. */
final class Adbc implements AutoCloseable {

    private final BufferAllocator allocator = new RootAllocator();
    private final AdbcDatabase database;
    private final AdbcConnection connection;

    Adbc(Gateway gateway, String user, String password) throws Exception {
        this(gateway, parameters -> {
            AdbcDriver.PARAM_USERNAME.set(parameters, user);
            AdbcDriver.PARAM_PASSWORD.set(parameters, password);
        });
    }

    /** Known by its certificate: the calls of prepared statements, which come without a password, are then known, too. */
    static Adbc ofWriter() throws Exception {
        return new Adbc(Gateway.shared(), parameters -> {
            ClientCertificate own = Gateway.certificateOfWriter();
            FlightSqlConnectionProperties.MTLS_CERT_CHAIN.set(parameters, stream(own.certificate()));
            FlightSqlConnectionProperties.MTLS_PRIVATE_KEY.set(parameters, stream(own.key()));
            parameters.put(
                    "adbc.sql.quirks",
                    SqlQuirks.builder()
                            .arrowToSqlTypeNameMapping(Adbc::typeName)
                            .build());
        });
    }

    /** Sets how the connection is known. */
    @FunctionalInterface
    private interface Identity {
        void set(Map<String, Object> parameters) throws IOException;
    }

    private Adbc(Gateway gateway, Identity identity) throws Exception {
        Map<String, Object> parameters = new HashMap<>();
        AdbcDriver.PARAM_URI.set(parameters, "grpc+tls://localhost:" + gateway.flightPort());
        identity.set(parameters);
        // The driver reads the stream at each connect, and needs it rewound: one database has one connection here.
        FlightSqlConnectionProperties.TLS_ROOT_CERTS.set(parameters, stream(gateway.certificate()));
        database = new FlightSqlDriver(allocator).open(parameters);
        try {
            connection = database.connect();
        } catch (Exception e) {
            database.close();
            allocator.close();
            throw e;
        }
    }

    /** The driver's own names for bulk ingest are not all DuckDB's: it calls a text CLOB. */
    private static String typeName(ArrowType type) {
        return type instanceof ArrowType.Utf8
                ? "VARCHAR"
                : SqlQuirks.DEFAULT_ARROW_TYPE_TO_SQL_TYPE_NAME_MAPPING.apply(type);
    }

    private static InputStream stream(Path file) throws IOException {
        return new ByteArrayInputStream(Files.readAllBytes(file));
    }

    AdbcConnection connection() {
        return connection;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    /** Fails when the driver left memory behind. */
    @Override
    public void close() throws Exception {
        connection.close();
        database.close();
        allocator.close();
    }
}
