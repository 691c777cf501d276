package dev.weir.gateway.cli;

import java.util.List;
import org.springframework.context.ApplicationListener;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
final class ServeCommand extends StartCommand {

    private final CliContext context;
    private final GatewayStarter starter;

    @Option(
            names = "--demo",
            description = {
                "Serve TPC-H data, scale 0.1, from demo.duckdb in the data directory; made when it is missing.",
                "A database given as weir.engine.duckdb.database is served instead."
            })
    private boolean demo;

    ServeCommand(CliContext context, GatewayStarter starter) {
        this.context = context;
        this.starter = starter;
    }

    @Override
    public Integer call() {
        List<ApplicationListener<?>> listeners = demo ? List.of(new DemoData(context, verbose())) : List.of();
        return starter.run(new GatewayStarter.Request(
                arguments(List.of("--demo")), listeners, context.print(), context.err(), verbose()));
    }
}
