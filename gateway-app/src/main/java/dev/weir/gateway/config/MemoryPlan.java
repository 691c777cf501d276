package dev.weir.gateway.config;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the memory of the container or machine, and the disk of the data directory, are promised to, in bytes.
 *
 * @param all memory there is
 * @param heap most Java heap of this process
 * @param direct most memory of the network's buffers, outside of the heap
 * @param queries most memory of the engine: all reservations together
 * @param children Java heap of a child process that owns the database; 0 without one
 * @param temp most temporary files
 * @param freeDisk free on the disk that they lie on; negative when it is not known
 */
record MemoryPlan(long all, long heap, long direct, long queries, long children, long temp, long freeDisk) {

    /** Classes, compiled code, stacks and small buffers of a process. */
    static final long REST = 192L << 20;

    static MemoryPlan of(WeirProperties properties, EffectiveLimits limits) {
        WeirProperties.Engine.DuckDb duckdb = properties.engine().duckdb();
        long heap = Runtime.getRuntime().maxMemory();
        return new MemoryPlan(
                MachineMemory.bytes(),
                heap,
                direct(heap),
                limits.admission().memoryBudgetBytes(),
                duckdb.process() == WeirProperties.Engine.Owner.CHILD
                        ? duckdb.processHeap().toBytes()
                        : 0,
                duckdb.maxTempSize().toBytes(),
                freeDisk(properties.dataDir().toAbsolutePath()));
    }

    /** The JVM's word for no limit of its own is 0: then it is that of the heap. */
    private static long direct(long heap) {
        HotSpotDiagnosticMXBean virtualMachine = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long given = virtualMachine == null
                ? 0
                : Long.parseLong(
                        virtualMachine.getVMOption("MaxDirectMemorySize").getValue());
        return given == 0 ? heap : given;
    }

    private static long freeDisk(Path directory) {
        Path existing = directory;
        while (existing != null && !Files.isDirectory(existing)) {
            existing = existing.getParent();
        }
        try {
            return existing == null ? -1 : Files.getFileStore(existing).getUsableSpace();
        } catch (IOException e) {
            return -1;
        }
    }

    long rest() {
        return all - heap - direct - queries - children;
    }

    /** One line for the log of the start. */
    String summary() {
        return megabytes(all) + ": heap " + megabytes(heap) + ", network buffers " + megabytes(direct) + ", queries "
                + megabytes(queries) + " (weir.admission.memory.budget)"
                + (children == 0 ? "" : ", heap of the child process " + megabytes(children)) + ", rest "
                + megabytes(rest()) + "; temporary files " + megabytes(temp) + " (weir.engine.duckdb.max-temp-size)"
                + (freeDisk < 0 ? "" : ", free on their disk " + megabytes(freeDisk));
    }

    /** What was promised and is not there. */
    Optional<String> warning() {
        if (rest() < REST) {
            return Optional.of(
                    "Memory is promised to the last: " + megabytes(rest()) + " of " + megabytes(all)
                            + " are left for code, stacks and small buffers, and " + megabytes(REST)
                            + " are needed; lower weir.admission.memory.budget (for a worker weir.worker.memory), or give more memory");
        }
        if (freeDisk >= 0 && temp > freeDisk) {
            return Optional.of("weir.engine.duckdb.max-temp-size is " + megabytes(temp) + ", but only "
                    + megabytes(freeDisk) + " are free on the disk of weir.data-dir");
        }
        return Optional.empty();
    }

    private static String megabytes(long bytes) {
        return (bytes >> 20) + "MB";
    }
}
