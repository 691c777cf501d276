package dev.weir.engine.process;

import dev.weir.engine.Access;
import dev.weir.engine.EngineQuery;
import dev.weir.engine.Rows;
import dev.weir.engine.SessionSettings;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Database files for tests. */
final class Databases {

    /** Of each query. */
    static final long LIMIT = 300L << 20;

    private Databases() {}

    /** A database that was written and closed. */
    static Path make(Path file, String... statements) throws Exception {
        Path directory = Files.createTempDirectory(file.getParent(), "made");
        try (DuckDbEngine engine = DuckDbEngine.open(settings(file, false, directory, 1L << 30, 1L << 30))) {
            for (String sql : statements) {
                Rows.drain(Rows.await(engine.execute(query(sql, Access.ADMIN)).result()));
            }
        }
        return file;
    }

    /** Orders with their lines, half a million of them, in the manner of TPC-H. */
    static Path withLines(Path file) throws Exception {
        return make(
                file,
                "create table orders as select i as o_key, i % 1000 as o_customer, date '1992-01-01' + (i % 2400)::int"
                        + " as o_date from range(100000) t(i)",
                "create table lines as select i // 5 as l_order, i % 5 as l_number, (i * 7919 % 50 + 1)::decimal(12,2)"
                        + " as l_quantity, (i * 104729 % 100000 / 100)::decimal(12,2) as l_price,"
                        + " ['A','N','R'][i % 3 + 1] as l_flag, 'comment ' || (i * 31 % 100003) as l_comment"
                        + " from range(500000) t(i)");
    }

    static EngineQuery query(String sql, Access access) {
        return new EngineQuery("q", sql, access, SessionSettings.NONE, List.of(), EngineQuery.DEFAULT_BATCH_ROWS);
    }

    static DuckDbSettings settings(Path file, boolean readOnly, Path directory, long memory, long temp) {
        return new DuckDbSettings(file, readOnly, directory, List.of(), Map.of(), List.of(), memory, temp, 2, 64);
    }

    /** A pool of so many over a database that is read. */
    static PoolSettings pool(Path file, Path directory, int slots, long temp) {
        return new PoolSettings(
                settings(file, true, directory, LIMIT, temp),
                directory,
                slots,
                0,
                slots,
                "weir.admission.memory.per-query");
    }
}
