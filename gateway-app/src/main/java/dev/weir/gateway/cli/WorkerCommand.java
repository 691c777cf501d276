package dev.weir.gateway.cli;

import java.util.List;
import picocli.CommandLine.Command;

/** {@code weir worker}: starts a process that runs queries for gateways. */
@Command(
        name = "worker",
        description = "Start a worker: it runs queries for gateways.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        customSynopsis = "weir worker [-hVX] [--config=FILE]... [--NAME=VALUE]...",
        footer = {
            "",
            "It needs weir.cluster.secret-file, the same file as its gateways have (weir secret makes one);",
            "weir.engine.duckdb.* says what it serves, weir.worker.* where and how much. docs/workers.md shows a set-up."
        })
final class WorkerCommand extends StartCommand {

    private final CliContext context;
    private final GatewayStarter starter;

    WorkerCommand(CliContext context, GatewayStarter starter) {
        this.context = context;
        this.starter = starter;
    }

    @Override
    public Integer call() {
        return starter.run(
                new GatewayStarter.Request(arguments(List.of()), List.of(), context.print(), context.err(), verbose()));
    }
}
