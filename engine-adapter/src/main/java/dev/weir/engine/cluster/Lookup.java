package dev.weir.engine.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks a name up again and again; each of its addresses is a worker. A look-up that fails changes nothing: the workers
 * that are known do not go away because a name server does.
 */
final class Lookup {

    private static final Logger log = LoggerFactory.getLogger(Lookup.class);

    private static final int MOST = 256;

    /** Asks the name service; may block. */
    @FunctionalInterface
    interface Resolver {
        InetAddress[] resolve(String host) throws UnknownHostException;
    }

    private final ClusterSettings.Discovery discovery;
    private final Resolver resolver;
    private final Executor executor;
    private final ClusterTimers timers;
    private final Consumer<List<WorkerAddress>> found;
    private boolean failing;

    /**
     * @param executor of one thread, for what blocks
     * @param found told the addresses after each look-up that succeeded, on the executor
     */
    Lookup(
            ClusterSettings.Discovery discovery,
            Resolver resolver,
            Executor executor,
            ClusterTimers timers,
            Consumer<List<WorkerAddress>> found) {
        this.discovery = discovery;
        this.resolver = resolver;
        this.executor = executor;
        this.timers = timers;
        this.found = found;
    }

    void start() {
        executor.execute(this::look);
    }

    private void look() {
        try {
            InetAddress[] addresses = resolver.resolve(discovery.host());
            failing = false;
            found.accept(workers(addresses));
        } catch (UnknownHostException e) {
            if (!failing) {
                log.warn("The workers' name {} cannot be looked up; those known stay", discovery.host());
            }
            failing = true;
        } catch (RuntimeException e) {
            log.error("The workers found behind {} could not be taken", discovery.host(), e);
        } finally {
            timers.schedule(discovery.refresh(), this::start);
        }
    }

    private List<WorkerAddress> workers(InetAddress[] addresses) {
        WorkerAddress template = discovery.template();
        List<WorkerAddress> workers = new ArrayList<>();
        Arrays.stream(addresses)
                .map(InetAddress::getHostAddress)
                .distinct()
                .sorted(Comparator.naturalOrder())
                .limit(MOST)
                .forEach(address -> {
                    WorkerAddress unnamed = new WorkerAddress(
                            "",
                            address,
                            template.port(),
                            template.trust(),
                            template.serverName() == null ? discovery.host() : template.serverName(),
                            template.slots(),
                            template.memoryBytes());
                    workers.add(named(unnamed));
                });
        return workers;
    }

    private static WorkerAddress named(WorkerAddress found) {
        return new WorkerAddress(
                found.text(),
                found.host(),
                found.port(),
                found.trust(),
                found.serverName(),
                found.slots(),
                found.memoryBytes());
    }
}
