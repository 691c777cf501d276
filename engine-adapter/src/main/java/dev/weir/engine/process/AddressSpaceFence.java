package dev.weir.engine.process;

import java.util.ArrayList;
import java.util.List;

/**
 * RLIMIT_AS, set by a shell that becomes the child. An allocation beyond it fails within the child, which DuckDB tells
 * as an out-of-memory error; the process lives on, but may not have its address space back.
 */
record AddressSpaceFence(AddressSpace space) implements MemoryFence {

    /** The limit stands in {@code $0}, in KiB. */
    private static final String SCRIPT = "ulimit -v \"$0\" && exec \"$@\"";

    @Override
    public String name() {
        return "address-space";
    }

    @Override
    public String description() {
        return "RLIMIT_AS: " + (space.idleBytes() >> 20) + " MB of an idle process, as measured, and "
                + (space.reserveBytes() >> 20) + " MB for stacks and batches, beside the query's memory";
    }

    @Override
    public Fenced fence(long number, long memoryBytes) {
        long limit = space.limit(memoryBytes);
        return new Fenced() {
            @Override
            public List<String> within(List<String> command) {
                List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", SCRIPT, Long.toString(limit >> 10)));
                whole.addAll(command);
                return whole;
            }

            @Override
            public boolean killedForMemory() {
                return false;
            }

            @Override
            public void remove() {}
        };
    }
}
