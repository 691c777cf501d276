package dev.weir.gateway.cli;

import dev.weir.gateway.config.RunningWorker;
import dev.weir.gateway.config.StartFailedException;
import dev.weir.gateway.config.WorkerApplication;
import java.util.concurrent.CountDownLatch;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextClosedEvent;

/** Runs a worker until its context closes, which its shutdown hook does on SIGTERM and SIGINT. */
final class SpringWorkerStarter implements GatewayStarter {

    @Override
    public int run(Request request) {
        RunningWorker worker;
        try {
            worker = WorkerApplication.start(request.propertyArguments());
        } catch (StartFailedException e) {
            throw CommandFailure.failure(String.valueOf(e.getMessage()), e);
        }
        CountDownLatch closed = new CountDownLatch(1);
        ApplicationListener<ContextClosedEvent> onClosed = event -> closed.countDown();
        worker.context().addApplicationListener(onClosed);
        worker.lines().forEach(request.out()::println);
        try {
            closed.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            worker.close();
        }
        return ExitCode.OK;
    }
}
