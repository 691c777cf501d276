package dev.weir.gateway.cli.tpch;

import io.trino.tpch.CustomerGenerator;
import io.trino.tpch.Distributions;
import io.trino.tpch.GenerateUtils;
import io.trino.tpch.LineItemGenerator;
import io.trino.tpch.NationGenerator;
import io.trino.tpch.OrderGenerator;
import io.trino.tpch.PartGenerator;
import io.trino.tpch.PartSupplierGenerator;
import io.trino.tpch.RegionGenerator;
import io.trino.tpch.SupplierGenerator;
import io.trino.tpch.TextPool;
import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * A TPC-H table at a scale, cut into parts that can be generated in any order and by any thread; the rows of part 1, 2,
 * ... in turn are the table. Immutable.
 *
 * @param table the generator's description of it
 * @param expectedRows exact, but an estimate for lineitem
 * @param parts number of parts, at least 1; each gives one batch
 * @param generator rows of a part
 */
record TableSource<E extends TpchEntity>(
        TpchTable<E> table, long expectedRows, int parts, PartGeneratorFunction<E> generator) {

    /** Rows of a batch, about; one of DuckDB's row groups has 122,880. */
    private static final int ROWS_PER_PART = 100_000;

    /** Rows of a part, from 1 to {@code parts}. */
    interface PartGeneratorFunction<E> {
        Iterable<E> rows(int part, int parts);
    }

    /**
     * The eight tables, smallest first.
     *
     * @param texts the pool that comments are cut from; 300 MB, so it is the caller's to let go
     */
    static List<TableSource<?>> all(double scale, TextPool texts) {
        Distributions words = Distributions.getDefaultDistributions();
        long parts = scaled(PartGenerator.SCALE_BASE, scale);
        long orders = scaled(OrderGenerator.SCALE_BASE, scale);
        return List.of(
                single(TpchTable.REGION, 5, new RegionGenerator(words, texts)),
                single(TpchTable.NATION, 25, new NationGenerator(words, texts)),
                of(
                        TpchTable.SUPPLIER,
                        scaled(SupplierGenerator.SCALE_BASE, scale),
                        (part, of) -> new SupplierGenerator(scale, part, of, words, texts)),
                of(
                        TpchTable.CUSTOMER,
                        scaled(CustomerGenerator.SCALE_BASE, scale),
                        (part, of) -> new CustomerGenerator(scale, part, of, words, texts)),
                of(TpchTable.PART, parts, (part, of) -> new PartGenerator(scale, part, of, words, texts)),
                of(TpchTable.PART_SUPPLIER, parts * 4, (part, of) -> new PartSupplierGenerator(scale, part, of, texts)),
                of(TpchTable.ORDERS, orders, (part, of) -> new OrderGenerator(scale, part, of, words, texts)),
                of(
                        TpchTable.LINE_ITEM,
                        orders * 4,
                        (part, of) -> new LineItemGenerator(scale, part, of, words, texts)));
    }

    private static long scaled(int base, double scale) {
        return GenerateUtils.calculateRowCount(base, scale, 1, 1);
    }

    private static <E extends TpchEntity> TableSource<E> single(TpchTable<E> table, long rows, Iterable<E> generator) {
        return new TableSource<>(table, rows, 1, (part, of) -> generator);
    }

    private static <E extends TpchEntity> TableSource<E> of(
            TpchTable<E> table, long rows, PartGeneratorFunction<E> generator) {
        int parts = Math.toIntExact(Math.max(1, (rows + ROWS_PER_PART - 1) / ROWS_PER_PART));
        return new TableSource<>(table, rows, parts, generator);
    }

    String name() {
        return table.getTableName();
    }

    Schema schema() {
        return new Schema(table.getColumns().stream()
                .map(column -> ColumnWriter.of(column).field(column))
                .toList());
    }

    String createStatement() {
        return table.getColumns().stream()
                .map(column ->
                        column.getColumnName() + " " + ColumnWriter.of(column).sqlType())
                .collect(Collectors.joining(", ", "CREATE TABLE " + name() + " (", ")"));
    }

    /** Generates a part. The caller closes the batch. */
    VectorSchemaRoot generate(int part, BufferAllocator allocator) {
        VectorSchemaRoot root = VectorSchemaRoot.create(schema(), allocator);
        try {
            fill(root, part);
            return root;
        } catch (RuntimeException | Error e) {
            root.close();
            throw e;
        }
    }

    private void fill(VectorSchemaRoot root, int part) {
        List<TpchColumn<E>> columns = table.getColumns();
        int width = columns.size();
        ColumnWriter[] writers = columns.stream().map(ColumnWriter::of).toArray(ColumnWriter[]::new);
        FieldVector[] vectors = root.getFieldVectors().toArray(new FieldVector[0]);
        int row = 0;
        for (E entity : generator.rows(part, parts)) {
            for (int i = 0; i < width; i++) {
                writers[i].write(columns.get(i), entity, vectors[i], row);
            }
            row++;
        }
        root.setRowCount(row);
    }
}
