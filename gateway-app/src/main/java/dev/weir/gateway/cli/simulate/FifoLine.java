package dev.weir.gateway.cli.simulate;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** First come, first served, whoever asks. */
final class FifoLine implements Line {

    private final Set<SimulatedQuery> waiting = new LinkedHashSet<>();

    @Override
    public void add(SimulatedQuery query) {
        waiting.add(query);
    }

    @Override
    public @Nullable SimulatedQuery first() {
        Iterator<SimulatedQuery> inOrder = waiting.iterator();
        return inOrder.hasNext() ? inOrder.next() : null;
    }

    @Override
    public void serve(SimulatedQuery first) {
        waiting.remove(first);
    }

    @Override
    public void leave(SimulatedQuery query) {
        waiting.remove(query);
    }
}
