package dev.weir.clients;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.arrow.adbc.core.AdbcConnection.GetObjectsDepth;
import org.apache.arrow.vector.ipc.ArrowReader;

/**
 * Asks ADBC for columns. The JDBC driver's jar has a class of the same name as one that ADBC needs for this, with other
 * methods, so it runs on a class path without that jar.
 */
public final class AdbcColumns implements Callable<String> {

    private final Gateway gateway;

    /** For {@link #ask}. */
    public AdbcColumns(Integer flightPort, String directory) {
        this.gateway = Gateway.running(Path.of(directory), flightPort);
    }

    /** The objects of the table nation, columns included, as text. */
    static String ask(Gateway gateway) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.contains("flight-sql-jdbc-driver")) {
                path.add(Path.of(entry).toUri().toURL());
            }
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            Callable<?> apart = (Callable<?>) loader.loadClass(AdbcColumns.class.getName())
                    .getConstructor(Integer.class, String.class)
                    .newInstance(gateway.flightPort(), gateway.directory().toString());
            return (String) apart.call();
        }
    }

    @Override
    public String call() throws Exception {
        try (Adbc adbc = new Adbc(gateway, Gateway.READER, Gateway.PASSWORD);
                ArrowReader reader =
                        adbc.connection().getObjects(GetObjectsDepth.ALL, "demo", "main", "nation", null, null)) {
            return Cells.rows(reader).toString();
        }
    }
}
