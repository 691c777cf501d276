package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two sessions of one engine, and what tests do with them; nothing of it is left after a test. */
public abstract class EngineSessionSupport {

    private static final AtomicInteger ids = new AtomicInteger();

    /** The engine under test. */
    protected QueryEngine engine;

    EngineSession session;
    EngineSession other;

    /** Makes an engine; called before each test. */
    protected abstract QueryEngine open() throws Exception;

    @BeforeEach
    void openSessions() throws Exception {
        engine = open();
        session = engine.openSession(Access.ADMIN);
        other = engine.openSession(Access.ADMIN);
        stateless(Access.ADMIN, "create table t (i int)");
    }

    @AfterEach
    void nothingIsLeft() {
        session.close();
        other.close();
        Rows.await(session.closed());
        Rows.await(other.closed());
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(engine.stats()).isEqualTo(new EngineStats(0, 0, 0, 0)));
        engine.close();
    }

    static EngineQuery query(Access access, SessionSettings settings, String sql, Object... parameters) {
        List<List<Object>> rows = parameters.length == 0 ? List.of() : List.of(Arrays.asList(parameters));
        return new EngineQuery(
                "s" + ids.incrementAndGet(), sql, access, settings, rows, EngineQuery.DEFAULT_BATCH_ROWS);
    }

    static List<List<Object>> run(StatementRunner runner, String sql, Object... parameters) {
        return Rows.drain(Rows.await(runner.execute(query(Access.ADMIN, SessionSettings.NONE, sql, parameters))
                .result()));
    }

    List<List<Object>> stateless(Access access, String sql) {
        return Rows.drain(Rows.await(
                engine.execute(query(access, SessionSettings.NONE, sql)).result()));
    }

    static EngineException failure(Runnable action) {
        return Objects.requireNonNull(catchThrowableOfType(EngineException.class, action::run));
    }

    static void isConflict(String sqlState, Runnable action) {
        EngineException failure = failure(action);
        assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.CONFLICT);
        assertThat(failure.sqlState()).isEqualTo(sqlState);
    }

    static ArrowResult stream(EngineSession session) {
        return Rows.await(
                session.execute(query(Access.ADMIN, SessionSettings.NONE, "select i from range(5000000) t(i)"))
                        .result());
    }

    long count() {
        return (Long) stateless(Access.READ, "select count(*) from t").get(0).get(0);
    }
}
