package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.duckdb.DuckDBConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client may try, and must not reach. */
class DuckDbSafetyTest extends DuckDbTestBase {

    private Path allowed;
    private Path secret;

    @Override
    DuckDbSettings settings() throws Exception {
        allowed = Files.createDirectory(directory.resolve("allowed"));
        secret = Files.writeString(directory.resolve("secret.csv"), "a,b\n1,2\n");
        Files.writeString(allowed.resolve("fine.csv"), "a,b\n1,2\n");
        Files.createSymbolicLink(allowed.resolve("link.csv"), secret);
        return new DuckDbSettings(
                directory.resolve("db.duckdb"),
                false,
                directory.resolve("data"),
                List.of(allowed),
                Map.of(),
                List.of("create table t (i int)", "insert into t values (1)", "create sequence s"),
                1L << 30,
                1L << 30,
                2,
                16);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "insert into t values (2)",
                "with x as (insert into t values (2) returning i) select * from x",
                "update t set i = 2",
                "delete from t",
                "truncate t",
                "merge into t using (select 1 j) on i = j when matched then delete",
                "create table u (i int)",
                "create view v as select 1",
                "create macro m() as 1",
                "create schema x",
                "create type e as enum ('a')",
                "create sequence s2",
                "create index ix on t (i)",
                "alter table t add column j int",
                "drop table t",
                "comment on table t is 'x'",
                "explain analyze insert into t values (2)",
                "select nextval('s')",
                "copy t to 'out.csv'",
                "copy (select 1) to '/tmp/out.csv'",
                "copy t from 'in.csv'",
                "attach ':memory:' as m",
                "detach db",
                "set threads = 1",
                "set lock_configuration = false",
                "reset threads",
                "pragma threads = 1",
                "pragma enable_profiling",
                "install spatial",
                "load spatial",
                "export database '/tmp/x'",
                "import database '/tmp/x'",
                "checkpoint",
                "vacuum",
                "call force_checkpoint()",
                "from force_checkpoint()",
                "create secret x (type s3)",
                "select * from query('select 1')",
                "select * from duckdb_settings()",
                "select * from duckdb_secrets()",
                "select path from duckdb_databases()",
                "select current_setting('secret_directory')",
                "select * from read_text('/etc/passwd')",
                "select * from read_blob('/etc/passwd')",
                "select * from read_csv('/etc/passwd')",
                "select * from sniff_csv('/etc/passwd')",
                "select * from glob('/etc/*')",
                "select * from read_text('file:///etc/passwd')",
                "select * from read_text('/proc/self/environ')",
                "select * from parquet_metadata('/etc/passwd')",
                "select * from read_json('/etc/passwd')",
                "select * from read_csv('https://example.org/x.csv')",
                "select * from read_duckdb('x.duckdb')"
            })
    void aReaderCannot(String sql) {
        EngineException failure = failure(Access.READ, sql);
        assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.FORBIDDEN);
        assertThat(failure.getMessage()).doesNotContain("/etc", "/tmp", directory.toString());
        assertThat(run(Access.ADMIN, "select i from t")).containsExactly(List.of(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "copy t to '/tmp/out.csv'",
                "attach ':memory:' as m",
                "install spatial",
                "set memory_limit = '100GB'",
                "pragma memory_limit = '100GB'",
                "create macro m() as table select * from duckdb_settings()",
                "create view v as select * from duckdb_databases()",
                "create macro q(x) as table from query(x)",
                "create table x as select * from read_text('/etc/passwd')",
                "insert into t select 1 from read_text('/etc/passwd')",
                "create table x as select current_setting('temp_directory')"
            })
    void aWriterCannot(String sql) {
        EngineException failure = failure(Access.WRITE, sql);
        assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.FORBIDDEN);
    }

    @Test
    void nobodyLeavesTheAllowedDirectories() {
        assertThat(run(Access.READ, "select * from read_csv('" + allowed.resolve("fine.csv") + "')"))
                .containsExactly(List.of(1L, 2L));
        for (String path : List.of(
                secret.toString(),
                allowed.resolve("../secret.csv").toString(),
                allowed + "/./../secret.csv",
                directory.resolve("db.duckdb").toString())) {
            assertThat(failure(Access.ADMIN, "select * from read_text('" + path + "')")
                            .failure())
                    .as(path)
                    .isEqualTo(EngineFailure.FORBIDDEN);
            assertThat(failure(Access.ADMIN, "copy t to '" + path + "'").failure())
                    .as(path)
                    .isEqualTo(EngineFailure.FORBIDDEN);
        }
        assertThat(failure(Access.READ, "select * from read_csv('" + allowed.resolve("link.csv") + "')")
                        .failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
    }

    /** Reading the database as a file would drop the lock that keeps other processes out. */
    @Test
    void theDatabaseFileIsOutOfReach() {
        String database = directory.resolve("db.duckdb").toString();
        for (String sql : List.of(
                "from read_blob('%s')",
                "from read_text('%s')",
                "from glob('%s')",
                "from sniff_csv('%s')",
                "from read_csv('%s')",
                "from parquet_metadata('%s')",
                "from read_blob('%s.wal')",
                "copy t from '%s' (format csv)",
                "copy t to '%s'")) {
            assertThat(failure(Access.ADMIN, String.format(sql, database)).failure())
                    .as(sql)
                    .isEqualTo(EngineFailure.FORBIDDEN);
        }
        assertThat(failure(Access.READ, "from read_blob(?)", database).failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
    }

    @Test
    void anAdminCopiesWithinTheAllowedDirectories() {
        Path out = allowed.resolve("out.csv");
        run(Access.ADMIN, "copy t to '" + out + "'");
        assertThat(out).exists();
        assertThat(run(Access.READ, "select * from read_csv('" + out + "')")).containsExactly(List.of(1L));
    }

    @Test
    void anAdminMaintains() {
        run(Access.ADMIN, "checkpoint");
        run(Access.ADMIN, "force checkpoint");
        run(Access.ADMIN, "vacuum");
        run(Access.ADMIN, "analyze");
        assertThat(run(Access.ADMIN, "call pragma_version()")).hasSize(1);
    }

    @Test
    void whatIsWrittenOnTheSideLiesInTheDataDirectory() {
        String data = directory.resolve("data").toString();
        for (String setting : List.of("extension_directory", "secret_directory", "temp_directory", "home_directory")) {
            assertThat(run(Access.ADMIN, "select current_setting('" + setting + "')")
                            .get(0)
                            .get(0)
                            .toString())
                    .as(setting)
                    .startsWith(data);
        }
        assertThat(run(Access.ADMIN, "select value from duckdb_settings() where name = 'lock_configuration'"))
                .containsExactly(List.of("true"));
        assertThat(run(Access.ADMIN, "select value from duckdb_settings() where name = 'enable_external_access'"))
                .containsExactly(List.of("false"));
        assertThat(run(Access.ADMIN, "select value from duckdb_settings() where name = 'max_temp_directory_size'"))
                .containsExactly(List.of("1.0 GiB"));
    }

    @ParameterizedTest
    @EnumSource(Access.class)
    void theTextAloneCannotOpenATransaction(Access access) {
        assertThat(failure(access, "commit; begin; insert into t values (2)").failure())
                .isEqualTo(EngineFailure.SYNTAX);
        assertThat(failure(access, "begin").failure()).isEqualTo(EngineFailure.UNSUPPORTED);
        assertThat(failure(access, "create temp table x (i int)").failure()).isEqualTo(EngineFailure.UNSUPPORTED);
    }

    /** The read-only transaction stands behind the scan: here the scan is left out. */
    @Test
    void theEngineItselfRefusesWritesOfReaders() throws SQLException {
        NativeScope scope = new NativeScope(new Reaper());
        try (DuckDBConnection connection =
                        new QueryConnections(engine.database()).open(scope, query(Access.READ, "select 1"), true);
                Statement statement = connection.createStatement()) {
            SQLException refused =
                    catchThrowableOfType(SQLException.class, () -> statement.execute("insert into t values (2)"));
            assertThat(ErrorTranslator.translate(refused, null).failure()).isEqualTo(EngineFailure.FORBIDDEN);
        }
    }

    /**
     * A text that the scan takes for one statement must be one to DuckDB, which runs all but the last of several when it
     * prepares. The texts mix everything that begins or ends a string, a comment or a name.
     */
    @Test
    void whatTheScanTakesForOneStatementIsOneToDuckDb() throws SQLException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        String[] quotes = {
            "'", "''", "\"", "\"\"", "`", "$$", "$a$", "$", "e'", "E'\\", "\\'", "x'", "--", "--\n", "\r", "\n", "/*",
            "*/", "/*/", "a", "1", "1e", ".", " ", "-", "/", "*", ",", "1,", "n'", "b'", "\u00a0", "é", "a$", "1.",
            "::", "@"
        };
        String[] hidden = {
            "; insert into t values (99); select 1",
            ";insert into t values(99);select 2 --",
            ";\ninsert into t values (99)\n;select '"
        };
        int accepted = 0;
        try (DuckDBConnection connection = engine.database().duplicate()) {
            for (int round = 0; round < 15_000; round++) {
                StringBuilder sql = new StringBuilder("select 1");
                soup(sql, random, quotes);
                sql.append(hidden[random.nextInt(hidden.length)]);
                soup(sql, random, quotes);
                ScannedStatement statement;
                try {
                    statement = StatementScanner.scan(sql.toString());
                } catch (EngineException e) {
                    continue;
                }
                accepted++;
                try {
                    connection.prepareStatement(statement.text()).close();
                } catch (SQLException e) {
                    // Broken texts are the rule here.
                }
                if (random.nextInt(50) == 0) {
                    assertThat(run(Access.READ, "select count(*) from t where i = 99"))
                            .as("seed %d", seed)
                            .containsExactly(List.of(0L));
                }
            }
        }
        assertThat(accepted).isGreaterThan(500);
        assertThat(run(Access.READ, "select count(*) from t where i = 99"))
                .as("seed %d", seed)
                .containsExactly(List.of(0L));
    }

    private static void soup(StringBuilder sql, Random random, String[] parts) {
        int length = random.nextInt(7);
        for (int i = 0; i < length; i++) {
            sql.append(parts[random.nextInt(parts.length)]);
        }
    }
}
