package dev.weir.engine.process;

import java.util.List;

/** Leaves the limit to the engine. */
record NoFence(String name) implements MemoryFence, MemoryFence.Fenced {

    @Override
    public String description() {
        return "none of the operating system, only the engine's own";
    }

    @Override
    public Fenced fence(long number, long memoryBytes) {
        return this;
    }

    @Override
    public List<String> within(List<String> command) {
        return command;
    }

    @Override
    public boolean killedForMemory() {
        return false;
    }

    @Override
    public void remove() {}
}
