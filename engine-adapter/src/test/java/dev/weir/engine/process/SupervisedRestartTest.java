package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineNode;
import dev.weir.engine.EngineSession;
import dev.weir.engine.Rows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The process that owns a database ends, and the database is there again with what was committed. */
class SupervisedRestartTest {

    @TempDir
    Path directory;

    private SupervisedEngine open() {
        return SupervisedEngine.open(new SupervisedSettings(
                Databases.settings(directory.resolve("db.duckdb"), false, directory, 1L << 30, 1L << 30),
                directory.resolve("processes"),
                256L << 20));
    }

    private static long pid(SupervisedEngine engine) {
        return Long.parseLong(engine.nodes().get(0).address().substring("pid ".length()));
    }

    private static void write(SupervisedEngine engine, String sql) {
        Rows.drain(Rows.await(engine.execute(Databases.query(sql, Access.ADMIN)).result()));
    }

    @Test
    void whatWasCommittedIsThereAfterAKill() {
        try (SupervisedEngine engine = open()) {
            write(engine, "create table t as select i from range(1000) t(i)");
            ArrowResult running =
                    Rows.await(engine.execute(Databases.query("select i from range(100000000) t(i)", Access.READ))
                            .result());
            assertThat(Rows.await(running.next())).isTrue();
            long first = pid(engine);
            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            EngineException failure = catchThrowableOfType(EngineException.class, () -> Rows.count(running));
            assertThat(failure.failure()).isEqualTo(EngineFailure.LOST);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .ignoreExceptions()
                    .until(() -> Rows.of(engine, Databases.query("select count(*) from t", Access.READ))
                            .equals(List.of(List.of(1000L))));
            assertThat(pid(engine)).isNotEqualTo(first);
            Awaitility.await().until(() -> engine.nodes().get(0).state() == EngineNode.State.HEALTHY);
            Rows.await(engine.check().result());
        }
    }

    @Test
    void aSessionIsFailedByTheEndOfItsProcess() {
        try (SupervisedEngine engine = open()) {
            write(engine, "create table t (i int)");
            EngineSession session = engine.openSession(Access.ADMIN);
            Rows.await(session.begin(false).result());
            Rows.drain(Rows.await(session.execute(Databases.query("insert into t values (1)", Access.ADMIN))
                    .result()));
            ProcessHandle.of(pid(engine)).orElseThrow().destroyForcibly();
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> failure(session, "select 1").failure() == EngineFailure.CONFLICT);
            assertThat(session.inTransaction()).isTrue();
            assertThat(failure(session, "rollback").getMessage()).contains("rolled back");
            assertThat(session.inTransaction()).isFalse();
            assertThat(Rows.drain(Rows.await(session.execute(Databases.query("select count(*) from t", Access.ADMIN))
                            .result())))
                    .containsExactly(List.of(0L));
            session.close();
            Rows.await(session.closed());
        }
    }

    private static EngineException failure(EngineSession session, String sql) {
        return catchThrowableOfType(
                EngineException.class,
                () -> Rows.drain(Rows.await(
                        session.execute(Databases.query(sql, Access.ADMIN)).result())));
    }

    @Test
    void closingWritesTheLogIntoTheDatabase() {
        SupervisedEngine engine = open();
        write(engine, "create table t as select i from range(1000) t(i)");
        long pid = pid(engine);
        engine.close();
        assertThat(ProcessHandle.of(pid)).isEmpty();
        assertThat(directory.resolve("db.duckdb.wal")).doesNotExist();
        try (SupervisedEngine again = open()) {
            assertThat(Rows.of(again, Databases.query("select count(*) from t", Access.READ)))
                    .containsExactly(List.of(1000L));
        }
    }

    @Test
    void aFileThatIsNoDatabaseIsNamed() throws Exception {
        Files.writeString(directory.resolve("db.duckdb"), "This is no database, but it is long enough to be read.");
        ChildStartException failure = catchThrowableOfType(ChildStartException.class, this::open);
        assertThat(failure.setting()).isEqualTo("database");
        assertThat(failure).hasMessageContaining("not a DuckDB database");
    }
}
