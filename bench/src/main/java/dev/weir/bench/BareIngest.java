package dev.weir.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.apache.arrow.c.ArrowArrayStream;
import org.apache.arrow.c.Data;
import org.apache.arrow.flight.FlightProducer;
import org.apache.arrow.flight.FlightStream;
import org.apache.arrow.flight.PutResult;
import org.apache.arrow.memory.ArrowBuf;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.dictionary.Dictionary;
import org.apache.arrow.vector.ipc.ArrowReader;
import org.apache.arrow.vector.types.pojo.Schema;
import org.duckdb.DuckDBConnection;

/**
 * The least that loads rows: a registered Arrow stream and an INSERT, in a transaction, into a DuckDB file of its own.
 * Replaces the table {@code uploaded}.
 */
final class BareIngest {

    private static final String TABLE = "uploaded";

    private final DuckDBConnection database;

    private BareIngest(DuckDBConnection database) {
        this.database = database;
    }

    static BareIngest open(Path file) throws SQLException {
        return new BareIngest((DuckDBConnection) DriverManager.getConnection("jdbc:duckdb:" + file));
    }

    /** DoPut. */
    void put(FlightStream stream, BufferAllocator allocator, FlightProducer.StreamListener<PutResult> client)
            throws Exception {
        stream.getRoot();
        long rows = load(new Stream(stream, allocator), allocator);
        try (ArrowBuf count = allocator.buffer(Long.BYTES)) {
            count.writeLong(rows);
            client.onNext(PutResult.metadata(count));
        }
        client.onCompleted();
    }

    /** @return rows inserted */
    long load(ArrowReader rows, BufferAllocator allocator) throws Exception {
        try (Connection connection = database.duplicate();
                ArrowArrayStream stream = ArrowArrayStream.allocateNew(allocator)) {
            Data.exportArrayStream(allocator, rows, stream);
            run(connection, "BEGIN TRANSACTION");
            run(connection, "DROP TABLE IF EXISTS " + TABLE);
            run(connection, "CREATE TABLE " + TABLE + " " + Lineitem.COLUMNS);
            ((DuckDBConnection) connection).registerArrowStream("upload", stream);
            long inserted = run(connection, "INSERT INTO " + TABLE + " BY NAME SELECT * FROM upload");
            run(connection, "COMMIT");
            return inserted;
        }
    }

    private static long run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.executeLargeUpdate(sql);
        }
    }

    void close() {
        try {
            database.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A Flight stream as what the C interface exports. */
    private static final class Stream extends ArrowReader {

        private final FlightStream stream;

        Stream(FlightStream stream, BufferAllocator allocator) {
            super(allocator);
            this.stream = stream;
        }

        @Override
        public VectorSchemaRoot getVectorSchemaRoot() {
            return stream.getRoot();
        }

        @Override
        public Map<Long, Dictionary> getDictionaryVectors() {
            return Map.of();
        }

        @Override
        public boolean loadNextBatch() {
            return stream.next();
        }

        @Override
        public long bytesRead() {
            return 0;
        }

        @Override
        public void close() {
            // The server closes the Flight stream.
        }

        @Override
        protected void closeReadSource() throws IOException {
            throw new IOException("not reached");
        }

        @Override
        protected Schema readSchema() {
            return stream.getSchema();
        }
    }
}
