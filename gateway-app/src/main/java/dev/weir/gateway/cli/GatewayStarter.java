package dev.weir.gateway.cli;

import java.io.PrintStream;
import java.util.List;
import org.springframework.context.ApplicationListener;

/** Starts the gateway in this process. */
@FunctionalInterface
public interface GatewayStarter {

    /**
     * What to start.
     *
     * @param propertyArguments {@code --name=value} each
     * @param listeners to register before the start; a failure of theirs is a failure of the start
     * @param out where the ready message and the ways to connect go
     * @param err where a failure's one line goes
     * @param verbose print stack traces of failures too
     */
    record Request(
            List<String> propertyArguments,
            List<ApplicationListener<?>> listeners,
            PrintStream out,
            PrintStream err,
            boolean verbose) {}

    /**
     * Runs the gateway until it is told to end.
     *
     * @return the exit code: 0 after an orderly end, 1 when it could not start, in which case nothing is left running
     */
    int run(Request request);
}
