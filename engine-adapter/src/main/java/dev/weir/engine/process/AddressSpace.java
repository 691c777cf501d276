package dev.weir.engine.process;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much address space a child needs beside its query.
 *
 * @param idleBytes of a child that has answered a query, as measured; 0 before that
 * @param reserveBytes for what one more query takes that is not its memory: stacks, batches that are sent
 */
record AddressSpace(long idleBytes, long reserveBytes) {

    private static final Path SHELL = Path.of("/bin/sh");

    /** Whether {@code ulimit -v} works here: the kernel of macOS takes it and does nothing. */
    boolean isOffered() {
        return idleBytes > 0 && isLinux() && Files.isExecutable(SHELL);
    }

    static boolean isLinux() {
        return System.getProperty("os.name", "").startsWith("Linux");
    }

    /** The limit for a child whose query may have so much. */
    long limit(long memoryBytes) {
        return Math.addExact(Math.addExact(idleBytes, reserveBytes), memoryBytes);
    }
}
