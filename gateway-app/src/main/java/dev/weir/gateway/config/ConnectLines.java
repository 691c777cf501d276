package dev.weir.gateway.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a user needs to connect, as lines to paste.
 *
 * @param httpHost a name under which this machine reaches the HTTP front
 * @param flightHost likewise the Flight SQL front
 * @param httpPort port of the HTTP front
 * @param flightPort port of the Flight SQL front
 * @param managementUrl base URL of health and metrics
 * @param fingerprint SHA-256 of the certificate, or null when the fronts do not speak TLS
 */
public record ConnectLines(
        String httpHost,
        String flightHost,
        int httpPort,
        int flightPort,
        String managementUrl,
        @Nullable String fingerprint) {

    /** The lines; the word PASSWORD stands for the secret, which is not printed here. */
    public List<String> lines(String user) {
        boolean tls = fingerprint != null;
        String scheme = tls ? "https" : "http";
        String flight = (tls ? "grpc+tls" : "grpc") + "://" + flightHost + ":" + flightPort;
        List<String> lines = new ArrayList<>();
        lines.add("HTTP        " + scheme + "://" + httpHost + ":" + httpPort);
        lines.add("Flight SQL  " + flight);
        lines.add("Management  " + managementUrl);
        if (fingerprint != null) {
            lines.add("Certificate SHA-256 " + fingerprint);
        }
        lines.add("");
        lines.add("curl        curl " + (tls ? "-k " : "") + "-u " + user + ":PASSWORD -H 'Accept: text/csv' --data"
                + " 'select 42 as answer' " + scheme + "://" + httpHost + ":" + httpPort + "/v1/queries");
        lines.add("Python      adbc_driver_flightsql.dbapi.connect('" + flight + "', db_kwargs={'username': '" + user
                + "', 'password': 'PASSWORD'" + (tls ? ", 'adbc.flight.sql.client_option.tls_skip_verify': 'true'" : "")
                + "}, autocommit=True)");
        lines.add("JDBC        jdbc:arrow-flight-sql://" + flightHost + ":" + flightPort + "/?user=" + user
                + "&password=PASSWORD&useEncryption=" + tls + (tls ? "&disableCertificateVerification=true" : ""));
        return lines;
    }
}
