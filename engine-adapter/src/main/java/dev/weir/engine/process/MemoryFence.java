package dev.weir.engine.process;

import java.nio.file.Path;
import java.util.List;

/** A limit of the operating system for the memory of each child, apart from the engine's own. */
interface MemoryFence {

    /** In the words of {@link dev.weir.engine.EngineNode#limit()}. */
    String name();

    /** For the log: what it limits and how. */
    String description();

    /**
     * Puts a fence around a child that is about to be started.
     *
     * @param number unique among the children of this process
     * @param memoryBytes what the child's query may have
     */
    Fenced fence(long number, long memoryBytes);

    /** The fence around one child. */
    interface Fenced {

        /** The command that runs another one within the fence, as the same process. */
        List<String> within(List<String> command);

        /** Whether the kernel ended the child for its memory; known once it has ended. */
        boolean killedForMemory();

        /** Takes the fence away after the child's end. */
        void remove();
    }

    /** No limit: where the operating system offers none, and for a child that all queries share. */
    static MemoryFence none(String name) {
        return new NoFence(name);
    }

    /** The best that this machine offers. */
    static MemoryFence best(AddressSpace addressSpace) {
        CgroupFence cgroup = CgroupFence.find(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
        if (cgroup != null) {
            return cgroup;
        }
        return addressSpace.isOffered() ? new AddressSpaceFence(addressSpace) : none("engine");
    }
}
