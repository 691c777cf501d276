package dev.weir.clients;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.apache.arrow.adbc.core.AdbcConnection;
import org.apache.arrow.adbc.core.AdbcDatabase;
import org.apache.arrow.adbc.core.AdbcDriver;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlConnectionProperties;
import org.apache.arrow.adbc.driver.flightsql.FlightSqlDriver;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;

/** A connection of the ADBC Java driver, with the gateway's certificate as the only authority. */
final class Adbc implements AutoCloseable {

    private final BufferAllocator allocator = new RootAllocator();
    private final AdbcDatabase database;
    private final AdbcConnection connection;

    Adbc(Gateway gateway, String user, String password) throws Exception {
        Map<String, Object> parameters = new HashMap<>();
        AdbcDriver.PARAM_URI.set(parameters, "grpc+tls://localhost:" + gateway.flightPort());
        AdbcDriver.PARAM_USERNAME.set(parameters, user);
        AdbcDriver.PARAM_PASSWORD.set(parameters, password);
        // The driver reads the stream at each connect, and needs it rewound: one database has one connection here.
        FlightSqlConnectionProperties.TLS_ROOT_CERTS.set(
                parameters, new ByteArrayInputStream(Files.readAllBytes(gateway.certificate())));
        database = new FlightSqlDriver(allocator).open(parameters);
        try {
            connection = database.connect();
        } catch (Exception e) {
            database.close();
            allocator.close();
            throw e;
        }
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
