package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What bulk ingest must do inside of a client's session and its transaction. */
public abstract class EngineIngestSessionContract extends EngineIngestSupport {

    private EngineSession session;

    @BeforeEach
    void openSession() {
        session = engine.openSession(Access.WRITE);
    }

    @AfterEach
    void closeSession() {
        session.close();
        Rows.await(session.closed());
        run(Access.ADMIN, "drop table if exists t");
    }

    private long load(StreamFeed feed, IngestMode mode, boolean temporary) {
        IngestTarget target = new IngestTarget(null, null, "t", temporary);
        EngineCall<ArrowResult> call = session.ingest(
                new EngineIngest(
                        "ingest", target, mode, feed.schema(), Access.WRITE, SessionSettings.NONE, QueryContext.NONE),
                feed);
        try (feed) {
            ArrowResult result = Rows.await(call.result());
            long rows = result.updateCount().orElse(-1);
            Rows.drain(result);
            return rows;
        } finally {
            Rows.await(call.stopped());
        }
    }

    private List<List<Object>> here(String sql) {
        return Rows.drain(Rows.await(session.execute(query(Access.WRITE, sql)).result()));
    }

    @Test
    void rowsAreCommittedWithTheTransaction() {
        Rows.await(session.begin(false).result());
        assertThat(load(rows("select i from range(3000) r(i)"), IngestMode.CREATE, false))
                .isEqualTo(3000);
        assertThat(here("select count(*) from t")).containsExactly(List.of(3000L));
        assertThat(failure(Access.READ, "from t").sqlState()).isEqualTo("42P01");
        Rows.await(session.commit().result());
        assertThat(run(Access.READ, "select count(*) from t")).containsExactly(List.of(3000L));
    }

    @Test
    void rowsGoWithTheTransaction() {
        run(Access.WRITE, "create table t as select 1::bigint as i");
        Rows.await(session.begin(false).result());
        load(rows("select 2 as i"), IngestMode.REPLACE, false);
        load(rows("select 3 as i"), IngestMode.APPEND, false);
        assertThat(here("select count(*) from t")).containsExactly(List.of(2L));
        Rows.await(session.rollback().result());
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(1L));
    }

    @Test
    void aBrokenUploadSpoilsTheTransaction() {
        Rows.await(session.begin(false).result());
        load(rows("select 1 as i"), IngestMode.CREATE, false);
        StreamFeed broken = rows("select i from range(5000) r(i)").keepOpen();
        broken.onTake(() -> {
            if (broken.taken() == 4) {
                broken.fail(new EngineException(EngineFailure.CANCELLED, "gone"));
            }
        });
        assertThat(catchThrowableOfType(EngineException.class, () -> load(broken, IngestMode.APPEND, false)))
                .isNotNull();
        EngineException failure = catchThrowableOfType(
                EngineException.class, () -> Rows.await(session.commit().result()));
        assertThat(failure.failure()).isEqualTo(EngineFailure.CONFLICT);
        assertThat(failure(Access.READ, "from t").sqlState()).isEqualTo("42P01");
    }

    @Test
    void withoutATransactionAFailureLeavesNothingAndTheSessionGoesOn() {
        run(Access.WRITE, "create table t (i integer)");
        EngineException failure = catchThrowableOfType(
                EngineException.class,
                () -> load(
                        rows("select case when i = 4000 then 'x' else '1' end as i from range(5000) r(i)"),
                        IngestMode.APPEND,
                        false));
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(here("select count(*) from t")).containsExactly(List.of(0L));
        assertThat(load(rows("select 5 as i"), IngestMode.APPEND, false)).isEqualTo(1);
        assertThat(run(Access.READ, "from t")).containsExactly(List.of(5));
    }

    @Test
    void temporaryTablesAreTheSessionsOwn() {
        assertThat(load(rows("select 1 as i"), IngestMode.CREATE, true)).isEqualTo(1);
        assertThat(load(rows("select 2 as i"), IngestMode.APPEND, true)).isEqualTo(1);
        assertThat(here("select count(*) from t")).containsExactly(List.of(2L));
        assertThat(session.hasTemporaryObjects()).isTrue();
        assertThat(failure(Access.READ, "from t").sqlState()).isEqualTo("42P01");
    }

    @Test
    void readersMayNot() {
        EngineSession reader = engine.openSession(Access.READ);
        try (StreamFeed feed = rows("select 1 as i")) {
            EngineCall<ArrowResult> call = reader.ingest(
                    new EngineIngest(
                            "ingest",
                            IngestTarget.of("t"),
                            IngestMode.CREATE,
                            feed.schema(),
                            Access.WRITE,
                            SessionSettings.NONE,
                            QueryContext.NONE),
                    feed);
            assertThat(catchThrowableOfType(EngineException.class, () -> Rows.await(call.result()))
                            .failure())
                    .isEqualTo(EngineFailure.FORBIDDEN);
        } finally {
            reader.close();
            Rows.await(reader.closed());
        }
    }
}
