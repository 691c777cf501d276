package dev.weir.gateway.cli.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints rows as an aligned table. The first rows are held back to learn the widths of the columns; after them it streams,
 * so memory is bounded however long the result. A later value that is wider than its column is shown whole, out of line.
 *
 * <p>Not thread-safe.
 */
public final class TablePrinter {

    private static final int SAMPLE_ROWS = 1000;
    private static final int SAMPLE_CHARS = 4 << 20;

    private final Appendable out;
    private final List<Column> columns;
    private final int maxWidth;
    private final int[] widths;
    private final List<String[]> sample = new ArrayList<>();
    private int sampleChars;
    private boolean streaming;
    private long rows;

    /**
     * A column of the result.
     *
     * @param name as the header shows it
     * @param rightAligned for numbers
     */
    public record Column(String name, boolean rightAligned) {}

    /** @param maxWidth values are cut to this many columns of the terminal; 0 shows them whole */
    public TablePrinter(Appendable out, List<Column> columns, int maxWidth) {
        this.out = out;
        this.columns = List.copyOf(columns);
        this.maxWidth = maxWidth <= 0 ? Integer.MAX_VALUE : maxWidth;
        this.widths = columns.stream()
                .mapToInt(column -> DisplayWidth.of(shown(column.name())))
                .toArray();
    }

    /** How many columns of a terminal a code point takes: 0, 1 or 2. */
    public static int width(int codePoint) {
        return DisplayWidth.of(codePoint);
    }

    /**
     * Takes a row.
     *
     * @param values one for each column; null for SQL's null
     */
    public void row(List<? extends @Nullable String> values) throws IOException {
        String[] cells = new String[columns.size()];
        for (int i = 0; i < cells.length; i++) {
            cells[i] = shown(values.get(i));
        }
        rows++;
        if (streaming) {
            print(cells);
            return;
        }
        sample.add(cells);
        for (int i = 0; i < cells.length; i++) {
            widths[i] = Math.max(widths[i], DisplayWidth.of(cells[i]));
            sampleChars += cells[i].length();
        }
        if (sample.size() >= SAMPLE_ROWS || sampleChars >= SAMPLE_CHARS) {
            startStreaming();
        }
    }

    /** Prints what was held back, and the number of rows. */
    public void end() throws IOException {
        flush();
        out.append("(").append(Long.toString(rows)).append(rows == 1 ? " row)\n" : " rows)\n");
    }

    /** Prints what was held back; for a result that broke off. */
    public void flush() throws IOException {
        if (!streaming) {
            startStreaming();
        }
    }

    private String shown(@Nullable String value) {
        return DisplayWidth.fit(Cell.text(value), maxWidth);
    }

    private void startStreaming() throws IOException {
        streaming = true;
        print(columns.stream().map(column -> shown(column.name())).toArray(String[]::new));
        for (int i = 0; i < widths.length; i++) {
            out.append(i == 0 ? "" : "+").append("-".repeat(widths[i] + 2));
        }
        out.append('\n');
        for (String[] cells : sample) {
            print(cells);
        }
        sample.clear();
    }

    private void print(String[] cells) throws IOException {
        for (int i = 0; i < cells.length; i++) {
            boolean last = i == cells.length - 1;
            String padding = " ".repeat(Math.max(0, widths[i] - DisplayWidth.of(cells[i])));
            String cell = columns.get(i).rightAligned() ? padding + cells[i] : cells[i] + (last ? "" : padding);
            out.append(i == 0 ? "" : "|")
                    .append(last && cell.isEmpty() ? "" : " ")
                    .append(cell);
            out.append(last ? "" : " ");
        }
        out.append('\n');
    }
}
