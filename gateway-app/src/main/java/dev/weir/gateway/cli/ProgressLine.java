package dev.weir.gateway.cli;

import dev.weir.gateway.cli.tpch.TpchProgress;
import java.util.Locale;

/** Shows how far the generator is: one line that is rewritten on a terminal, a line for each table elsewhere. */
final class ProgressLine implements TpchProgress, AutoCloseable {

    private final CliContext context;
    private int shown;

    ProgressLine(CliContext context) {
        this.context = context;
    }

    @Override
    public synchronized void preparing() {
        if (context.terminal()) {
            rewrite("preparing");
        }
    }

    @Override
    public synchronized void rows(String table, long rows, long expectedRows) {
        if (context.terminal()) {
            long percent = Math.min(99, expectedRows == 0 ? 0 : rows * 100 / expectedRows);
            rewrite(String.format(Locale.ROOT, "%s: %,d rows, %d %%", table, rows, percent));
        }
    }

    @Override
    public synchronized void tableDone(String table, long rows) {
        String line = String.format(Locale.ROOT, "%s: %,d rows", table, rows);
        if (context.terminal()) {
            rewrite(line);
        } else {
            context.err().println(line);
        }
    }

    private void rewrite(String line) {
        context.err().print("\r" + line + " ".repeat(Math.max(0, shown - line.length())));
        context.err().flush();
        shown = line.length();
    }

    /** Leaves the cursor on an empty line. */
    @Override
    public synchronized void close() {
        if (shown > 0) {
            context.err().print("\r" + " ".repeat(shown) + "\r");
            context.err().flush();
            shown = 0;
        }
    }
}
