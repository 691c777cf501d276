package dev.weir.engine.duckdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.duckdb.DuckDBConnection;
import org.jspecify.annotations.Nullable;

/** Opens a database and locks it down. Used once, on a thread with a large stack. */
final class DatabaseOpener {

    /**
     * What DuckDB computes ahead of the reader. A result is only handed over when this is full: with DuckDB's 10 MiB a
     * slow query showed its first rows after 44 s, with this after 0.3 s, at the same throughput.
     */
    private static final String STREAMING_BUFFER = "256KiB";

    private final DuckDbSettings settings;

    DatabaseOpener(DuckDbSettings settings) {
        this.settings = settings;
    }

    /**
     * A database that is open and locked.
     *
     * @param connections what the connections of queries are duplicates of
     * @param constants what those of constant statements are duplicates of
     */
    record Opened(DuckDBConnection connections, DuckDBConnection constants) {}

    /** @throws DuckDbOpenException saying what is wrong */
    Opened open() {
        makeDirectories();
        checkDatabase();
        DuckDBConnection connection = connect();
        try {
            prepare(connection);
            initialise(connection);
            limit(connection);
            DuckDBConnection constants = constants(connection);
            run(connection, "SET lock_configuration = true");
            return new Opened(connection, constants);
        } catch (DuckDbOpenException e) {
            close(connection);
            throw e;
        } catch (SQLException e) {
            close(connection);
            throw new DuckDbOpenException("database", "DuckDB refuses its configuration: " + firstLine(e), e);
        }
    }

    private Path directory(String name) {
        return settings.directory().toAbsolutePath().normalize().resolve(name);
    }

    private void makeDirectories() {
        for (String name : List.of("extensions", "secrets", "temp")) {
            try {
                Files.createDirectories(directory(name));
            } catch (IOException e) {
                throw new DuckDbOpenException(
                        "directory",
                        "The data directory " + settings.directory() + " cannot be written: " + e.getMessage(),
                        e);
            }
        }
        for (Path allowed : settings.allowedDirectories()) {
            if (!Files.isDirectory(allowed)) {
                throw new DuckDbOpenException(
                        "allowed-directories", "The allowed directory " + allowed + " does not exist", null);
            }
        }
    }

    /** Looks at names only: opening the file in Java and closing it again would drop DuckDB's lock on it. */
    private void checkDatabase() {
        Path database = settings.database();
        if (database == null) {
            if (settings.readOnly()) {
                throw new DuckDbOpenException("database", "An in-memory database cannot be read-only", null);
            }
            return;
        }
        Path parent = database.toAbsolutePath().normalize().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new DuckDbOpenException(
                    "database", "The directory of the database " + database + " does not exist", null);
        }
        if (Files.isDirectory(database)) {
            throw new DuckDbOpenException("database", "The database " + database + " is a directory", null);
        }
        if (settings.readOnly() && !Files.exists(database)) {
            throw new DuckDbOpenException(
                    "database",
                    "The database " + database + " does not exist, and read-only access cannot create it",
                    null);
        }
        for (Path allowed : settings.files().directories()) {
            if (database.toAbsolutePath().normalize().startsWith(allowed)) {
                throw new DuckDbOpenException(
                        "allowed-directories",
                        "The database " + database + " lies within the allowed directory " + allowed
                                + "; a query over that directory would drop the lock on it",
                        null);
            }
        }
        if (database.toString().indexOf(';') >= 0) {
            throw new DuckDbOpenException(
                    "database", "The name of the database " + database + " contains a semicolon", null);
        }
    }

    private DuckDBConnection connect() {
        Properties properties = new Properties();
        properties.setProperty("jdbc_stream_results", "true");
        properties.setProperty("extension_directory", directory("extensions").toString());
        properties.setProperty("secret_directory", directory("secrets").toString());
        properties.setProperty("temp_directory", directory("temp").toString());
        properties.setProperty(
                "home_directory", settings.directory().toAbsolutePath().toString());
        properties.setProperty("autoinstall_known_extensions", "false");
        properties.setProperty("autoload_known_extensions", "false");
        properties.setProperty("memory_limit", settings.memoryLimitBytes() + "B");
        properties.setProperty("threads", Integer.toString(settings.threads()));
        properties.setProperty("preserve_insertion_order", "true");
        if (settings.readOnly()) {
            properties.setProperty("access_mode", "READ_ONLY");
        }
        Path database = settings.database();
        String url = "jdbc:duckdb:"
                + (database == null ? "" : database.toAbsolutePath().normalize());
        try {
            return (DuckDBConnection) DriverManager.getConnection(url, properties);
        } catch (SQLException e) {
            throw new DuckDbOpenException("database", explain(database, e), e);
        }
    }

    private static String explain(@Nullable Path database, SQLException e) {
        String message = String.valueOf(e.getMessage());
        if (message.contains("Conflicting lock") || message.contains("Could not set lock")) {
            return "The database " + database + " is locked by another process; stop it, or open the database"
                    + " read-only in both";
        }
        if (message.contains("different configuration") || message.contains("Unique file handle conflict")) {
            return "The database " + database + " is open in this process already";
        }
        if (message.contains("not a valid DuckDB database")) {
            return "The file " + database + " is not a DuckDB database";
        }
        if (message.contains("version")) {
            return "The database " + database + " was written by another version of DuckDB: " + firstLine(e);
        }
        return "The database " + database + " cannot be opened: " + firstLine(e);
    }

    private void prepare(DuckDBConnection connection) throws SQLException {
        run(connection, "SET max_temp_directory_size = '" + settings.maxTempBytes() + "B'");
        // Settings of this connection are copied to its duplicates, the connections of the queries.
        run(connection, "SET TimeZone = 'UTC'");
        run(connection, "SET streaming_buffer_size = '" + STREAMING_BUFFER + "'");
        run(connection, "SET scheduler_process_partial = true");
        run(connection, "SET allow_community_extensions = false");
        run(connection, "SET allow_persistent_secrets = false");
    }

    private void initialise(DuckDBConnection connection) {
        int number = 0;
        for (String sql : settings.initSql()) {
            number++;
            try {
                run(connection, sql);
            } catch (SQLException e) {
                throw new DuckDbOpenException(
                        "init-sql", "Statement " + number + " of the init SQL failed: " + firstLine(e), e);
            }
        }
        for (Map.Entry<String, Path> view : settings.parquetViews().entrySet()) {
            createView(
                    connection, view.getKey(), view.getValue().toAbsolutePath().normalize());
        }
    }

    private void createView(DuckDBConnection connection, String name, Path directory) {
        if (settings.readOnly()) {
            throw new DuckDbOpenException(
                    "parquet-views",
                    "The Parquet view " + name + " cannot be made in a database that is opened read-only",
                    null);
        }
        if (!Files.isDirectory(directory)) {
            throw new DuckDbOpenException(
                    "parquet-views",
                    "The directory " + directory + " of Parquet view " + name + " does not exist",
                    null);
        }
        try {
            run(
                    connection,
                    "CREATE OR REPLACE VIEW main." + DuckType.quote(name) + " AS SELECT * FROM read_parquet("
                            + literal(directory + "/**/*.parquet") + ")");
        } catch (SQLException e) {
            throw new DuckDbOpenException(
                    "parquet-views",
                    "The Parquet view " + name + " over " + directory + " cannot be made: " + firstLine(e),
                    e);
        }
    }

    /** A constant has nothing to optimize; no setting but this one differs. */
    private static DuckDBConnection constants(DuckDBConnection connection) throws SQLException {
        DuckDBConnection constants = (DuckDBConnection) connection.duplicate();
        run(constants, "PRAGMA disable_optimizer");
        return constants;
    }

    /** After the lock that follows nothing can be set but the session's time zone, and what we set for each query. */
    private void limit(DuckDBConnection connection) throws SQLException {
        List<String> directories = settings.files().directories().stream()
                .map(path -> literal(path + "/"))
                .toList();
        run(connection, "SET allowed_directories = [" + String.join(", ", directories) + "]");
        run(connection, "SET enable_external_access = false");
        run(connection, "SET errors_as_json = true");
        // SET is refused before it comes here, and what PRAGMA does to the limit ends with the next statement.
        run(
                connection,
                "SET allowed_configs = ['TimeZone'" + (settings.memoryFollowsQuery() ? ", 'memory_limit'" : "") + "]");
    }

    private static String literal(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    private static void run(DuckDBConnection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String firstLine(SQLException e) {
        String message = DuckDbError.parse(e).message();
        int end = message.indexOf('\n');
        return end < 0 ? message : message.substring(0, end);
    }

    private static void close(DuckDBConnection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The failure that led here is the one to tell.
        }
    }
}
