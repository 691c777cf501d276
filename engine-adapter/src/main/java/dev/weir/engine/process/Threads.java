package dev.weir.engine.process;

/** DuckDB's threads in a child: each needs some memory to work well, so a small limit takes few. */
final class Threads {

    private static final long BYTES_EACH = 128L << 20;

    private Threads() {}

    static int of(long memoryBytes) {
        return of(memoryBytes, Runtime.getRuntime().availableProcessors());
    }

    static int of(long memoryBytes, int cores) {
        return (int) Math.max(1, Math.min(cores, memoryBytes / BYTES_EACH));
    }
}
