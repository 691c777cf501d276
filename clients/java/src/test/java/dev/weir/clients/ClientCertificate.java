package dev.weir.clients;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate that makes a client known to the gateway without a password, made with the JDK's keytool. It is its own
 * authority.
 *
 * @param certificate PEM file
 * @param key PEM file, PKCS#8
 */
record ClientCertificate(Path certificate, Path key) {

    private static final String PASSWORD = "changeit";

    /** The files are made in the directory, which exists. */
    static ClientCertificate make(Path directory, String user)
            throws IOException, InterruptedException, GeneralSecurityException {
        Path store = directory.resolve(user + ".p12");
        keytool(store, user);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        ClientCertificate made =
                new ClientCertificate(directory.resolve(user + ".pem"), directory.resolve(user + ".key"));
        write(made.certificate, "CERTIFICATE", keys.getCertificate(user).getEncoded());
        write(made.key, "PRIVATE KEY", keys.getKey(user, PASSWORD.toCharArray()).getEncoded());
        return made;
    }

    private static void keytool(Path store, String user) throws IOException, InterruptedException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                user,
                "-dname",
                "CN=" + user,
                "-keyalg",
                "EC",
                "-groupname",
                "secp256r1",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                store.toString(),
                "-storepass",
                PASSWORD);
        int ended = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(store.resolveSibling("keytool.log").toFile())
                .start()
                .waitFor();
        if (ended != 0) {
            throw new IllegalStateException("keytool ended with " + ended);
        }
    }

    private static void write(Path file, String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII))
                .encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
