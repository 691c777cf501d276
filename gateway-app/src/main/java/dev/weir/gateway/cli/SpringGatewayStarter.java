package dev.weir.gateway.cli;

import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.RunningGateway;
import dev.weir.gateway.config.StartFailedException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Runs the Spring application until its context closes, which its shutdown hook does on SIGTERM and SIGINT. */
final class SpringGatewayStarter implements GatewayStarter {

    @Override
    public int run(Request request) {
        long began = System.nanoTime();
        RunningGateway gateway;
        try {
            gateway = GatewayApplication.start(request.propertyArguments(), request.listeners());
        } catch (StartFailedException e) {
            throw failure(e);
        }
        CountDownLatch closed = new CountDownLatch(1);
        ApplicationListener<ContextClosedEvent> onClosed = event -> closed.countDown();
        gateway.context().addApplicationListener(onClosed);
        print(request.out(), gateway);
        var unused = gateway.ready().thenRun(() -> {
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            request.out().printf(Locale.ROOT, "Weir is ready (%.1f s).%n", took.toMillis() / 1000.0);
        });
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            gateway.close();
        }
        return ExitCode.OK;
    }

    private static CommandFailure failure(StartFailedException e) {
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof CommandFailure own) {
                return own;
            }
        }
        return CommandFailure.failure(String.valueOf(e.getMessage()), e);
    }

    private static void print(PrintStream out, RunningGateway gateway) {
        out.println();
        gateway.connect().lines(gateway.exampleUser()).forEach(out::println);
        gateway.generatedAdminPassword().ifPresent(password -> {
            out.println();
            out.println("The user admin was made. Its password, shown this once: " + password);
        });
        out.println();
    }
}
