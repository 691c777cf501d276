package dev.weir.clients;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** Connections of the Arrow Flight SQL JDBC driver. */
final class Jdbc {

    private Jdbc() {}

    static Connection connect(Gateway gateway, String user) throws SQLException {
        return connect(gateway, user, Gateway.PASSWORD, new Properties());
    }

    /** With the gateway's certificate as the only authority. */
    static Connection connect(Gateway gateway, String user, String password, Properties more) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", password);
        properties.setProperty("useEncryption", "true");
        properties.setProperty("tlsRootCerts", gateway.certificate().toString());
        properties.putAll(more);
        return DriverManager.getConnection(url(gateway), properties);
    }

    static String url(Gateway gateway) {
        return "jdbc:arrow-flight-sql://localhost:" + gateway.flightPort();
    }
}
