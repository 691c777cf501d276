package dev.weir.bench;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorLoader;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.VectorUnloader;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.ipc.message.ArrowRecordBatch;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBResultSet;

/** Batches of lineitem in memory, given again and again until there are as many rows as asked for. */
final class Lineitem implements AutoCloseable {

    /** Of a table that takes them. */
    static final String COLUMNS = "(l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber BIGINT,"
            + " l_quantity DECIMAL(15,2), l_extendedprice DECIMAL(15,2), l_discount DECIMAL(15,2),"
            + " l_tax DECIMAL(15,2), l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE,"
            + " l_commitdate DATE, l_receiptdate DATE, l_shipinstruct VARCHAR, l_shipmode VARCHAR,"
            + " l_comment VARCHAR)";

    /** Held at most. */
    private static final long ROWS = 1_000_000;

    private final BufferAllocator allocator;
    private final Schema schema;
    private final List<ArrowRecordBatch> batches;

    private Lineitem(BufferAllocator allocator, Schema schema, List<ArrowRecordBatch> batches) {
        this.allocator = allocator;
        this.schema = schema;
        this.batches = batches;
    }

    static Lineitem load(Path database, int batchRows, BufferAllocator allocator) throws Exception {
        Properties readOnly = new Properties();
        readOnly.setProperty("duckdb.read_only", "true");
        List<ArrowRecordBatch> batches = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + database, readOnly);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM lineitem LIMIT " + ROWS);
                ArrowReader reader = (ArrowReader) ((DuckDBResultSet) rows).arrowExportStream(allocator, batchRows)) {
            VectorSchemaRoot root = reader.getVectorSchemaRoot();
            VectorUnloader unloader = new VectorUnloader(root);
            while (reader.loadNextBatch()) {
                batches.add(unloader.getRecordBatch());
            }
            return new Lineitem(allocator, root.getSchema(), batches);
        }
    }

    /** A stream of so many rows, the last batch whole. */
    ArrowReader stream(long rows) {
        return new Stream(rows);
    }

    @Override
    public void close() {
        batches.forEach(ArrowRecordBatch::close);
    }

    private final class Stream extends ArrowReader {

        private final long wanted;
        private long given;
        private int next;

        Stream(long wanted) {
            super(Lineitem.this.allocator);
            this.wanted = wanted;
        }

        @Override
        public boolean loadNextBatch() throws java.io.IOException {
            if (given >= wanted) {
                return false;
            }
            prepareLoadNextBatch();
            ArrowRecordBatch batch = batches.get(next++ % batches.size());
            new VectorLoader(getVectorSchemaRoot()).load(batch);
            given += batch.getLength();
            return true;
        }

        @Override
        public long bytesRead() {
            return 0;
        }

        @Override
        protected void closeReadSource() {
            // The batches are the owner's.
        }

        @Override
        protected Schema readSchema() {
            return schema;
        }
    }
}
