package dev.weir.gateway.config;

import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;

/** Memory of the container or machine, in bytes: the JDK reads the cgroup's limit where there is one. */
final class MachineMemory {

    /** Used when the JDK cannot tell; small enough to be safe anywhere. */
    private static final long FALLBACK = 2L << 30;

    private MachineMemory() {}

    static long bytes() {
        OperatingSystemMXBean system = ManagementFactory.getOperatingSystemMXBean();
        if (system instanceof com.sun.management.OperatingSystemMXBean detailed) {
            return detailed.getTotalMemorySize();
        }
        return FALLBACK;
    }
}
