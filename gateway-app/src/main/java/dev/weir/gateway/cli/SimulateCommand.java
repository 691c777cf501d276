package dev.weir.gateway.cli;

import dev.weir.admission.AdmissionLimits;
import dev.weir.gateway.cli.simulate.SimulationReport;
import dev.weir.gateway.cli.simulate.Simulator;
import dev.weir.gateway.cli.simulate.TraceException;
import dev.weir.gateway.config.LimitsReader;
import dev.weir.gateway.config.StartFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir simulate}: plays a trace against limits, in virtual time. */
@Command(
        name = "simulate",
        description = "Play a trace of queries against limits, in virtual time, and print who waits how long.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "The trace is the gateway's query log, or a description in YAML. The limits file has the keys",
            "below weir.admission (max-running, short-lane, groups.NAME.weight ...), or is a whole",
            "configuration of the gateway. Beside the gateway's own policy (weir) the same trace is played",
            "against a server that refuses at its cap, FIFO, and fair queueing by count.",
            "docs/simulation.md explains formats and figures.",
            "",
            "  weir simulate --trace docs/simulation/weights.yaml --limits docs/simulation/weights-limits.yaml"
        })
final class SimulateCommand implements Callable<Integer> {

    /** How the report is printed. */
    enum Format {
        table,
        json
    }

    private final CliContext context;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--trace",
            required = true,
            paramLabel = "FILE",
            description = "The gateway's query log, or a description of a load in YAML.")
    @SuppressWarnings("NullAway.Init") // required
    private Path trace;

    @Option(names = "--limits", required = true, paramLabel = "FILE", description = "The limits, in YAML.")
    @SuppressWarnings("NullAway.Init") // required
    private Path limits;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "table",
            description = "${COMPLETION-CANDIDATES}; ${DEFAULT-VALUE} when not given.")
    private Format format = Format.table;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random numbers of a YAML trace; that of the file, or 1, when not given.")
    private @Nullable Long seed;

    @Option(
            names = "--max-users",
            paramLabel = "N",
            defaultValue = "20",
            description = "Users shown in the table, longest waits first; ${DEFAULT-VALUE} when not given.")
    private int maxUsers = 20;

    @Mixin
    private Verbosity verbosity = new Verbosity();

    SimulateCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws IOException {
        if (maxUsers < 0) {
            throw new ParameterException(spec.commandLine(), "--max-users must be at least 0, not " + maxUsers);
        }
        SimulationReport report = simulate();
        StringBuilder text = new StringBuilder();
        if (format == Format.json) {
            report.printJson(text);
        } else {
            report.printTables(text, maxUsers);
        }
        context.out().write(text.toString().getBytes(StandardCharsets.UTF_8));
        context.out().flush();
        return ExitCode.OK;
    }

    private SimulationReport simulate() {
        try {
            AdmissionLimits given = LimitsReader.read(limits);
            return Simulator.run(trace, given, seed == null ? OptionalLong.empty() : OptionalLong.of(seed));
        } catch (StartFailedException | TraceException e) {
            throw CommandFailure.usage(e.getMessage(), e);
        }
    }
}
