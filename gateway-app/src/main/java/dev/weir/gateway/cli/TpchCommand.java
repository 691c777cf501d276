package dev.weir.gateway.cli;

import dev.weir.gateway.cli.tpch.TpchDatabase;
import dev.weir.gateway.cli.tpch.TpchException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir tpch}: makes a DuckDB file with TPC-H data. */
@Command(
        name = "tpch",
        description = "Make a DuckDB file with the eight TPC-H tables.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "The same scale gives the same rows in the same order. The file appears when it is complete.",
            "Scale 1 is 8.7 million rows and about 300 MB."
        })
final class TpchCommand implements Callable<Integer> {

    private final CliContext context;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--sf", required = true, paramLabel = "SCALE", description = "Scale factor, from 0.01 to 100.")
    @SuppressWarnings("NullAway.Init") // required
    private BigDecimal scale;

    @Option(names = "--out", required = true, paramLabel = "FILE", description = "The file to make.")
    @SuppressWarnings("NullAway.Init") // required
    private Path out;

    @Option(names = "--force", description = "Replace the file if it exists.")
    private boolean force;

    @Mixin
    private Verbosity verbosity = new Verbosity();

    TpchCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        double factor = scale.doubleValue();
        if (!(factor >= TpchDatabase.MIN_SCALE && factor <= TpchDatabase.MAX_SCALE)) {
            throw new ParameterException(spec.commandLine(), "--sf must be from 0.01 to 100, not " + scale);
        }
        try (ProgressLine progress = new ProgressLine(context)) {
            TpchDatabase.create(factor, out, force, progress);
        } catch (TpchException e) {
            throw CommandFailure.failure(e.text(), e);
        }
        context.err().println("Made " + out);
        return ExitCode.OK;
    }
}
