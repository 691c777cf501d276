package dev.weir.gateway.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** A command that starts a process which is configured by properties. */
abstract class StartCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "YAML or properties file; may be given several times, the last one wins.")
    private List<Path> configFiles = new ArrayList<>();

    @Mixin
    private Verbosity verbosity = new Verbosity();

    @Unmatched
    private List<String> rest = new ArrayList<>();

    final boolean verbose() {
        return verbosity.verbose();
    }

    /**
     * The properties that were given, files first.
     *
     * @param options of the command beside {@code --config}, {@code --verbose} and {@code --help}
     */
    final List<String> arguments(List<String> options) {
        List<String> known = new ArrayList<>(options);
        known.addAll(List.of("--config", "--verbose", "--help"));
        // Given twice, the last one wins; Spring would join the values with a comma.
        Map<String, String> last = new LinkedHashMap<>();
        for (String argument : rest) {
            String name = checked(argument, known).substring(0, argument.indexOf('='));
            last.remove(name);
            last.put(name, argument);
        }
        List<String> arguments = new ArrayList<>(configLocation());
        arguments.addAll(last.values());
        return List.copyOf(arguments);
    }

    private String checked(String argument, List<String> known) {
        String fault = PropertyArgument.fault(argument, known);
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
