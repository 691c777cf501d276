package dev.weir.clients;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.arrow.flight.CallOption;
import org.apache.arrow.flight.FlightCallHeaders;
import org.apache.arrow.flight.FlightClient;
import org.apache.arrow.flight.FlightInfo;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.HeaderCallOption;
import org.apache.arrow.flight.Location;
import org.apache.arrow.flight.Ticket;
import org.apache.arrow.flight.grpc.CredentialCallOption;
import org.apache.arrow.flight.sql.FlightSqlClient;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.FieldVector;

/** The plain Flight SQL client with the bearer of a user. */
final class Flight implements AutoCloseable {

    private final BufferAllocator allocator = new RootAllocator();
    private final FlightClient client;
    private final FlightSqlClient sql;
    private final CredentialCallOption bearer;

    /** Shakes hands with the password. */
    Flight(Gateway gateway, String user) throws Exception {
        try (InputStream certificate = Files.newInputStream(gateway.certificate())) {
            client = FlightClient.builder(allocator, Location.forGrpcTls("localhost", gateway.flightPort()))
                    .trustedCertificates(certificate)
                    .build();
        }
        sql = new FlightSqlClient(client);
        bearer = client.authenticateBasicToken(user, Gateway.PASSWORD).orElseThrow();
    }

    FlightClient client() {
        return client;
    }

    FlightSqlClient sql() {
        return sql;
    }

    CredentialCallOption bearer() {
        return bearer;
    }

    BufferAllocator allocator() {
        return allocator;
    }

    /** One header of a call. */
    static CallOption header(String name, String value) {
        FlightCallHeaders headers = new FlightCallHeaders();
        headers.insert(name, value);
        return new HeaderCallOption(headers);
    }

    /** A password with the call. */
    static CallOption basic(String user) {
        String pair = user + ":" + Gateway.PASSWORD;
        return header(
                "authorization", "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8)));
    }

    /** All rows of an info with one endpoint. */
    List<List<String>> rows(FlightInfo info) throws Exception {
        return rows(info.getEndpoints().get(0).getTicket());
    }

    List<List<String>> rows(Ticket ticket) throws Exception {
        try (FlightStream stream = client.getStream(ticket, bearer)) {
            List<List<String>> rows = new ArrayList<>();
            while (stream.next()) {
                for (int row = 0; row < stream.getRoot().getRowCount(); row++) {
                    List<String> cells = new ArrayList<>();
                    for (FieldVector vector : stream.getRoot().getFieldVectors()) {
                        cells.add(Cells.text(vector.getObject(row)));
                    }
                    rows.add(cells);
                }
            }
            return rows;
        }
    }

    /** Fails when memory was left behind. */
    @Override
    public void close() throws Exception {
        sql.close();
        allocator.close();
    }
}
