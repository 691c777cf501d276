package dev.weir.auth;

/** What a caller shows. {@code toString} never reveals a secret. */
public sealed interface Credentials {

    /** A user name and password, from HTTP Basic or a Flight handshake. */
    record Password(String user, String password) implements Credentials {
        @Override
        public String toString() {
            return "Password[" + user + "]";
        }
    }

    /** A signed token that this gateway issued. */
    record Bearer(String token) implements Credentials {
        @Override
        public String toString() {
            return "Bearer";
        }
    }

    /** The subject of a client certificate that the TLS layer verified; its common name is the user. */
    record ClientCertificate(String commonName) implements Credentials {}
}
