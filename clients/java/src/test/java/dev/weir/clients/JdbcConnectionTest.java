package dev.weir.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How JDBC clients connect: TLS, credentials, session options. */
@Timeout(60)
class JdbcConnectionTest {

    private final Gateway gateway = Gateway.shared();

    @Test
    void aWrongPasswordFailsAtConnect() {
        assertThatThrownBy(() -> Jdbc.connect(gateway, Gateway.READER, "wrong", new Properties()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("UNAUTHENTICATED");
    }

    @Test
    void anUnknownUserFailsLikeAWrongPassword() {
        assertThatThrownBy(() -> Jdbc.connect(gateway, "nobody", Gateway.PASSWORD, new Properties()))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("UNAUTHENTICATED");
    }

    @Test
    void missingCredentialsFailBeforeAQueryRuns() {
        assertThatThrownBy(() -> {
                    Properties properties = new Properties();
                    properties.setProperty("tlsRootCerts", gateway.certificate().toString());
                    try (Connection connection = DriverManager.getConnection(Jdbc.url(gateway), properties)) {
                        Cells.rows(connection, "select 1");
                    }
                })
                .isInstanceOf(SQLException.class);
    }

    @Test
    void anUntrustedCertificateIsNotAccepted() {
        Properties properties = new Properties();
        properties.setProperty("user", Gateway.READER);
        properties.setProperty("password", Gateway.PASSWORD);

        assertThatThrownBy(() -> DriverManager.getConnection(Jdbc.url(gateway), properties))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void verificationCanBeTurnedOffByTheClient() throws SQLException {
        String url = Jdbc.url(gateway) + "/?useEncryption=true&disableCertificateVerification=true&user="
                + Gateway.READER + "&password=" + Gateway.PASSWORD;
        try (Connection connection = DriverManager.getConnection(url)) {
            assertThat(Cells.rows(connection, "select 1")).containsExactly(List.of("1"));
        }
    }

    @Test
    void aClientCertificateIsAnIdentity() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("tlsRootCerts", gateway.certificate().toString());
        properties.setProperty(
                "clientCertificate", Gateway.certificateOfWriter().certificate().toString());
        properties.setProperty("clientKey", Gateway.certificateOfWriter().key().toString());
        try (Connection connection = DriverManager.getConnection(Jdbc.url(gateway), properties)) {
            assertThat(Cells.rows(connection, "select 1")).containsExactly(List.of("1"));
            try (Statement statement = connection.createStatement()) {
                assertThat(statement.executeUpdate("delete from scratch where false"))
                        .isZero();
            }
        }
    }

    @Test
    void plaintextIsNotServed() {
        Properties properties = new Properties();
        properties.setProperty("user", Gateway.READER);
        properties.setProperty("password", Gateway.PASSWORD);
        properties.setProperty("useEncryption", "false");

        assertThatThrownBy(() -> DriverManager.getConnection(Jdbc.url(gateway), properties))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void theCatalogOfTheUrlIsTheSessions() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("catalog", "demo");
        Connection connection = Jdbc.connect(gateway, Gateway.READER, Gateway.PASSWORD, properties);
        try {
            assertThat(Cells.rows(connection, "select current_database()")).containsExactly(List.of("demo"));
        } finally {
            // Driver 18.3 closes its client twice, and the second time fails when a catalog is set.
            assertThatThrownBy(connection::close)
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("Channel shutdown invoked");
        }
    }

    @Test
    void anUnknownCatalogFailsAtConnect() {
        Properties properties = new Properties();
        properties.setProperty("catalog", "nowhere");

        assertThatThrownBy(() -> Jdbc.connect(gateway, Gateway.READER, Gateway.PASSWORD, properties))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void unknownUrlParametersAreIgnored() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("some-header", "value");
        try (Connection connection = Jdbc.connect(gateway, Gateway.READER, Gateway.PASSWORD, properties)) {
            assertThat(Cells.rows(connection, "select 1")).containsExactly(List.of("1"));
        }
    }

    @Test
    void aTokenFromTheHandshakeIsUsedForManyStatements() throws SQLException {
        try (Connection connection = Jdbc.connect(gateway, Gateway.READER)) {
            for (int i = 0; i < 50; i++) {
                assertThat(Cells.rows(connection, "select " + i)).containsExactly(List.of(Integer.toString(i)));
            }
        }
    }

    @Test
    void aConnectionKnowsWhetherItIsValid() throws SQLException {
        try (Connection connection = Jdbc.connect(gateway, Gateway.READER)) {
            assertThat(connection.isValid(5)).isTrue();
        }
    }
}
