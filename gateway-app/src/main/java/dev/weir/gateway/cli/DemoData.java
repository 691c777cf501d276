package dev.weir.gateway.cli;

import dev.weir.gateway.config.StartFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.event.ApplicationEnvironmentPreparedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The data of {@code serve --demo}: once the configuration is known and before anything starts, makes sure that
 * {@code demo.duckdb} lies in the data directory and makes it the database, unless the configuration names another.
 *
 * <p>The generator needs 300 MB of heap for a while, so it runs in a process of its own: the gateway's heap can be
 * smaller than that.
 */
final class DemoData implements ApplicationListener<ApplicationEnvironmentPreparedEvent>, Ordered {

    static final String FILE_NAME = "demo.duckdb";

    private static final String DATABASE = "weir.engine.duckdb.database";
    private static final String SCALE = "0.1";

    private final CliContext context;
    private final boolean verbose;

    DemoData(CliContext context, boolean verbose) {
        this.context = context;
        this.verbose = verbose;
    }

    /** After the listener that reads configuration files. */
    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(ApplicationEnvironmentPreparedEvent event) {
        ConfigurableEnvironment environment = event.getEnvironment();
        if (environment.containsProperty(DATABASE)) {
            return;
        }
        Path directory = Path.of(environment.getProperty("weir.data-dir", "./data"));
        Path file = ensure(directory);
        environment.getPropertySources().addLast(new MapPropertySource("weir-demo", Map.of(DATABASE, file.toString())));
    }

    /** Gives the file, and makes it first when it is missing. */
    Path ensure(Path directory) {
        Path file = directory.resolve(FILE_NAME);
        if (Files.exists(file)) {
            return file;
        }
        try {
            OwnDirectory.create(directory);
        } catch (IOException e) {
            throw new StartFailedException("weir.data-dir: cannot make the directory " + directory, e);
        }
        if (!Files.isWritable(directory)) {
            throw new StartFailedException("weir.data-dir: the directory " + directory + " is not writable");
        }
        generate(file);
        return file;
    }

    private void generate(Path file) {
        List<String> arguments = verbose
                ? List.of("tpch", "--sf", SCALE, "--out", file.toString(), "--verbose")
                : List.of("tpch", "--sf", SCALE, "--out", file.toString());
        context.err().println("Making demo data (TPC-H, scale " + SCALE + "), once:");
        try {
            int exit = ChildProcess.run(List.of("-Xmx640m", "-XX:+UseParallelGC"), arguments);
            if (exit != ExitCode.OK && !Files.exists(file)) {
                throw new StartFailedException("the demo data could not be made");
            }
        } catch (IOException e) {
            throw new StartFailedException("the demo data could not be made: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartFailedException("interrupted while the demo data was made", e);
        }
    }
}
