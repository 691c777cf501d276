package dev.weir.engine.process;

import dev.weir.engine.EngineException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The loan of a fake child; it notes how it ended. */
final class TestLease implements Lease {

    static final long BYTES = 512L << 20;

    final FakeChild child = new FakeChild(1, new ChildRequest(BYTES, 1, 1, FileVersion.NONE));
    volatile boolean used;
    final List<String> ends = new CopyOnWriteArrayList<>();

    @Override
    public Child child() {
        return child;
    }

    @Override
    public long memoryBytes() {
        return BYTES;
    }

    @Override
    public boolean isUsed() {
        return used;
    }

    @Override
    public void release(EngineException failure) {
        ends.add(failure == null ? "well" : failure.failure().toString());
    }

    @Override
    public void stuck() {
        ends.add("stuck");
    }
}
