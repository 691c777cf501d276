package dev.weir.gateway.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.springframework.context.ApplicationListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** {@code weir serve}: starts the gateway. */
@Command(
        name = "serve",
        description = "Start the gateway.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        customSynopsis = "weir serve [-hVX] [--demo] [--config=FILE]... [--NAME=VALUE]...",
        footer = {
            "",
            "Any property can be given as --NAME=VALUE, for example --weir.http.port=8443 or",
            "--logging.level.dev.weir=debug; docs/configuration.md lists them. Properties given here win",
            "over the environment (WEIR_HTTP_PORT), which wins over YAML files.",
            "",
            "The first start makes the user admin and prints its password, unless WEIR_ADMIN_PASSWORD gives one."
        })
final class ServeCommand implements Callable<Integer> {

    private final CliContext context;
    private final GatewayStarter starter;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--demo",
            description = {
                "Serve TPC-H data, scale 0.1, from demo.duckdb in the data directory; made when it is missing.",
                "A database given as weir.engine.duckdb.database is served instead."
            })
    private boolean demo;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML or properties file; may be given several times, the last one wins.")
    private List<Path> configFiles = new ArrayList<>();

    @Mixin
    private Verbosity verbosity = new Verbosity();

    @Unmatched
    private List<String> rest = new ArrayList<>();

    ServeCommand(CliContext context, GatewayStarter starter) {
        this.context = context;
        this.starter = starter;
    }

    @Override
    public Integer call() {
        // Given twice, the last one wins; Spring would join the values with a comma.
        Map<String, String> last = new LinkedHashMap<>();
        for (String argument : rest) {
            String name = checked(argument).substring(0, argument.indexOf('='));
            last.remove(name);
            last.put(name, argument);
        }
        List<String> arguments = new ArrayList<>(configLocation());
        arguments.addAll(last.values());
        List<ApplicationListener<?>> listeners = demo ? List.of(new DemoData(context, verbosity.verbose())) : List.of();
        return starter.run(new GatewayStarter.Request(
                List.copyOf(arguments), listeners, context.print(), context.err(), verbosity.verbose()));
    }

    private String checked(String argument) {
        String fault = PropertyArgument.fault(argument, List.of("--demo", "--config", "--verbose", "--help"));
        if (fault != null) {
            throw new ParameterException(spec.commandLine(), fault);
        }
        return argument;
    }

    private List<String> configLocation() {
        if (configFiles.isEmpty()) {
            return List.of();
        }
        return List.of("--spring.config.additional-location="
                + configFiles.stream().map(this::location).collect(Collectors.joining(",")));
    }

    private String location(Path file) {
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new ParameterException(spec.commandLine(), "--config: cannot read the file " + file);
        }
        return file.toAbsolutePath().normalize().toUri().toString();
    }
}
