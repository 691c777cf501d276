package dev.weir.gateway.cli;

import dev.weir.gateway.cli.query.GatewayClient;
import dev.weir.gateway.cli.query.QueryFailure;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code weir drain}: takes a gateway out of service, and waits until nothing runs there. */
@Command(
        name = "drain",
        description = "Take a gateway out of service and wait until nothing runs there any more.",
        mixinStandardHelpOptions = true,
        versionProvider = WeirVersion.class,
        footer = {
            "",
            "A draining gateway is not ready, and refuses new queries and those that wait (DRAINING). What runs",
            "may finish within its weir.shutdown.grace and is cancelled then. It needs a user with the role admin.",
            "Exit code 0 when nothing is left; 1 when something still runs at the end of --timeout. Ctrl-C ends",
            "the waiting, not the drain.",
            "",
            "  weir drain --url https://gateway-1:8080",
            "  weir drain --resume"
        })
final class DrainCommand implements Callable<Integer> {

    private static final String PATH = "/v1/drain";
    private static final Duration LOOK_EVERY = Duration.ofMillis(500);

    private final CliContext context;
    private @Nullable String told;

    @Option(names = "--resume", description = "End the drain: queries are taken again.")
    private boolean resume;

    @Option(names = "--no-wait", description = "Begin the drain, tell what runs, and do not wait.")
    private boolean noWait;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "Wait no longer than this; without it until nothing runs.")
    private @Nullable Duration timeout;

    @Mixin
    private GatewayOptions gateway = new GatewayOptions();

    @Mixin
    private Verbosity verbosity = new Verbosity();

    DrainCommand(CliContext context) {
        this.context = context;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (resume && (noWait || timeout != null)) {
            throw CommandFailure.usage("--resume waits for nothing: leave --no-wait and --timeout away");
        }
        try {
            GatewayClient client = gateway.client(context);
            if (resume) {
                client.control("DELETE", PATH);
                context.err().println("The gateway takes queries again.");
                return ExitCode.OK;
            }
            return drain(client);
        } catch (QueryFailure e) {
            throw CommandFailure.failure(e.text(), e);
        }
    }

    private int drain(GatewayClient client) throws QueryFailure, InterruptedException {
        long began = System.nanoTime();
        JsonNode report = client.control("POST", PATH);
        while (true) {
            tell(report);
            switch (report.path("state").asString("")) {
                case "DRAINED" -> {
                    context.err().println("Nothing runs any more.");
                    return ExitCode.OK;
                }
                case "DRAINING" -> {}
                default -> throw CommandFailure.failure("the drain was ended by somebody else");
            }
            if (noWait || isOver(began)) {
                return ExitCode.FAILURE;
            }
            TimeUnit.NANOSECONDS.sleep(LOOK_EVERY.toNanos());
            report = client.control("GET", PATH);
        }
    }

    private boolean isOver(long began) {
        return timeout != null && System.nanoTime() - began >= timeout.toNanos();
    }

    /** What is left, when it is not what was told before. */
    private void tell(JsonNode report) {
        StringBuilder ids = new StringBuilder();
        for (JsonNode query : report.path("queries")) {
            ids.append(query.path("queryId").asString(""))
                    .append(query.path("state").asString(""));
        }
        if (ids.isEmpty() || ids.toString().equals(told)) {
            return;
        }
        told = ids.toString();
        long seconds = report.path("graceLeftMs").asLong(0) / 1000;
        context.err()
                .println(report.path("queries").size() + " left"
                        + (seconds > 0 ? ", cancelled in " + seconds + " s:" : ", being cancelled:"));
        for (JsonNode query : report.path("queries")) {
            context.err()
                    .println("  " + query.path("queryId").asString("") + "  "
                            + query.path("state").asString("") + "  "
                            + query.path("user").asString("") + "  "
                            + query.path("runningMs").asLong(0) / 1000 + " s");
        }
    }
}
