package dev.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** What the sessions of every engine that has them must do. The subclass makes the engine, with a database to write. */
public abstract class EngineSessionContract extends EngineSessionSupport {

    /** Takes long, in an execute that can be interrupted. */
    private static final String SLOW = "select count(*) from range(10000000) a(i), range(100000) b(j) where i = j + 1";

    @Test
    void aTransactionIsSeenByOthersOnceItIsCommitted() {
        Rows.await(session.begin(false).result());
        assertThat(session.inTransaction()).isTrue();
        run(session, "insert into t values (1), (2)");
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(2L));
        assertThat(count()).isZero();
        Rows.await(session.commit().result());
        assertThat(session.inTransaction()).isFalse();
        assertThat(count()).isEqualTo(2);
    }

    @Test
    void aTransactionThatIsRolledBackDidNothing() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        run(session, "create table u (i int)");
        Rows.await(session.rollback().result());
        assertThat(count()).isZero();
        assertThat(failure(() -> stateless(Access.READ, "select * from u")).failure())
                .isEqualTo(EngineFailure.BINDING);
    }

    @Test
    void readsOfATransactionSeeOneState() {
        Rows.await(session.begin(false).result());
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(0L));
        run(other, "insert into t values (1)");
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(0L));
        Rows.await(session.rollback().result());
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(1L));
    }

    @Test
    void aTransactionBeginsWithItsFirstStatement() {
        Rows.await(session.begin(false).result());
        run(other, "insert into t values (1)");
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(1L));
        Rows.await(session.commit().result());
    }

    @Test
    void anUnusedTransactionEnds() {
        Rows.await(session.begin(false).result());
        Rows.await(session.commit().result());
        Rows.await(session.begin(true).result());
        Rows.await(session.rollback().result());
        assertThat(session.inTransaction()).isFalse();
    }

    @Test
    void beginAndCommitAreTextToo() {
        run(session, "begin");
        run(session, "insert into t values (1)");
        assertThat(count()).isZero();
        run(session, "commit");
        assertThat(count()).isEqualTo(1);
        run(session, "start transaction");
        run(session, "delete from t");
        run(session, "rollback");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void transactionsDoNotNestNorEndTwice() {
        isConflict("25P01", () -> Rows.await(session.commit().result()));
        isConflict("25P01", () -> Rows.await(session.rollback().result()));
        Rows.await(session.begin(false).result());
        isConflict("25001", () -> Rows.await(session.begin(false).result()));
        isConflict("25001", () -> run(session, "begin"));
        Rows.await(session.rollback().result());
    }

    @Test
    void aReadOnlyTransactionRefusesChanges() {
        Rows.await(session.begin(true).result());
        assertThat(failure(() -> run(session, "insert into t values (1)")).failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
        Rows.await(session.rollback().result());
        EngineSession reader = engine.openSession(Access.READ);
        Rows.await(reader.begin(false).result());
        EngineQuery insert = query(Access.READ, SessionSettings.NONE, "insert into t values (1)");
        assertThat(failure(() -> Rows.await(reader.execute(insert).result())).failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
        EngineQuery admin = query(Access.ADMIN, SessionSettings.NONE, "insert into t values (1)");
        assertThat(failure(() -> Rows.await(reader.execute(admin).result())).failure())
                .isEqualTo(EngineFailure.FORBIDDEN);
        reader.close();
        Rows.await(reader.closed());
        assertThat(count()).isZero();
    }

    @Test
    void aSecondStatementUnderAnOpenResultIsAConflict() {
        Rows.await(session.begin(false).result());
        try (ArrowResult open = stream(session)) {
            assertThat(Rows.await(open.next())).isTrue();
            isConflict("24000", () -> run(session, "select 1"));
            isConflict("24000", () -> Rows.await(session.commit().result()));
            assertThat(Rows.await(open.next())).isTrue();
        }
        assertThat(run(session, "select 1")).hasSize(1);
        Rows.await(session.commit().result());
    }

    @Test
    void aResultThatIsClosedEarlyLeavesTheTransaction() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        for (int i = 0; i < 20; i++) {
            ArrowResult open = stream(session);
            if (i % 2 == 0) {
                Rows.await(open.next());
            }
            open.close();
        }
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(1L));
        Rows.await(session.commit().result());
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void aRollbackEndsAnOpenResult() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        ArrowResult open = stream(session);
        Rows.await(open.next());
        Rows.await(session.rollback().result());
        open.close();
        Rows.await(open.stopped());
        assertThat(count()).isZero();
        assertThat(run(session, "select 1")).hasSize(1);
    }

    @Test
    void aCancelledStatementLeavesTheSession() {
        EngineCall<ArrowResult> call = session.execute(query(Access.ADMIN, SessionSettings.NONE, SLOW));
        call.cancel();
        assertThat(failure(() -> Rows.await(call.result())).failure()).isEqualTo(EngineFailure.CANCELLED);
        assertThat(run(session, "select 1")).hasSize(1);
    }

    @Test
    void aCancelledChangeFailsItsTransaction() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        EngineCall<ArrowResult> call = session.execute(
                query(Access.ADMIN, SessionSettings.NONE, "insert into t select i from range(1000000000) r(i)"));
        Awaitility.await().until(() -> engine.stats().activeCalls() > 0);
        call.cancel();
        Rows.await(call.stopped());
        isConflict("25P02", () -> run(session, "select 1"));
        isConflict("25P02", () -> Rows.await(session.commit().result()));
        assertThat(session.inTransaction()).isFalse();
        assertThat(count()).isZero();
    }

    @Test
    void afterAFailureATransactionTakesOnlyItsRollback() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        assertThat(failure(() -> run(session, "insert into t select 'x'::int from range(1)"))
                        .failure())
                .isEqualTo(EngineFailure.EXECUTION);
        isConflict("25P02", () -> run(session, "select 1"));
        Rows.await(session.rollback().result());
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(0L));
    }

    @Test
    void aCommitOfAFailedTransactionIsARollback() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        failure(() -> run(session, "select error('no') from t"));
        isConflict("25P02", () -> Rows.await(session.commit().result()));
        assertThat(session.inTransaction()).isFalse();
        assertThat(count()).isZero();
    }

    @Test
    void aFailureTellsItsCauseInsideATransaction() {
        Rows.await(session.begin(false).result());
        EngineException failure =
                failure(() -> run(session, "select cast(i::varchar || 'x' as int) from range(10) r(i)"));
        assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
        assertThat(failure.getMessage()).contains("0x");
        Rows.await(session.rollback().result());
    }

    @Test
    void parameterRowsThatFailLeaveNoTransaction() {
        run(session, "create temp table mine (i int)");
        EngineQuery rows = new EngineQuery(
                "rows",
                "insert into t select 10 // ?::int",
                Access.ADMIN,
                SessionSettings.NONE,
                List.of(List.of(1), List.of("no number")),
                EngineQuery.DEFAULT_BATCH_ROWS);
        failure(() -> Rows.drain(Rows.await(session.execute(rows).result())));
        assertThat(count()).isZero();
        run(session, "insert into t values (7)");
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void parameterRowsBelongToTheTransaction() {
        Rows.await(session.begin(false).result());
        EngineQuery rows = new EngineQuery(
                "batch",
                "insert into t values (?)",
                Access.ADMIN,
                SessionSettings.NONE,
                List.of(List.of(1), List.of(2), List.of(3)),
                EngineQuery.DEFAULT_BATCH_ROWS);
        ArrowResult result = Rows.await(session.execute(rows).result());
        assertThat(result.updateCount()).hasValue(3);
        result.close();
        assertThat(count()).isZero();
        Rows.await(session.rollback().result());
        assertThat(count()).isZero();
    }

    @Test
    void writeConflictsAreSaid() {
        run(session, "insert into t values (1)");
        Rows.await(session.begin(false).result());
        Rows.await(other.begin(false).result());
        run(session, "update t set i = 2");
        EngineException failure = failure(() -> {
            run(other, "update t set i = 3");
            Rows.await(other.commit().result());
        });
        assertThat(failure.failure()).isEqualTo(EngineFailure.WRITE_CONFLICT);
        Rows.await(session.commit().result());
        assertThat(stateless(Access.READ, "select i from t")).containsExactly(List.of(2));
    }

    @Test
    void temporaryObjectsStayInTheirSession() {
        run(session, "create temp table mine as select 1 as a");
        assertThat(session.hasTemporaryObjects()).isTrue();
        run(session, "insert into temp.mine values (2)");
        assertThat(run(session, "select a from mine order by a")).containsExactly(List.of(1), List.of(2));
        assertThat(failure(() -> run(other, "select * from mine")).failure()).isEqualTo(EngineFailure.BINDING);
        assertThat(failure(() -> stateless(Access.READ, "select * from mine")).failure())
                .isEqualTo(EngineFailure.BINDING);
    }

    @Test
    void aReaderHasTemporaryObjectsAndNoOthers() {
        EngineSession reader = engine.openSession(Access.READ);
        for (String sql : List.of(
                "create temp table mine (a int)",
                "insert into temp.mine values (1), (2)",
                "update temp.mine set a = a + 1",
                "delete from temp.mine where a = 2",
                "create temp view seen as select * from mine",
                "create temp macro twice(x) as x * 2",
                "set variable v = 4")) {
            Rows.drain(Rows.await(reader.execute(query(Access.READ, SessionSettings.NONE, sql))
                    .result()));
        }
        EngineQuery read = query(Access.READ, SessionSettings.NONE, "select twice(a), getvariable('v') from seen");
        assertThat(Rows.drain(Rows.await(reader.execute(read).result()))).containsExactly(List.of(6, 4));
        for (String sql :
                List.of("insert into t select a from temp.mine", "create table u as select * from temp.mine")) {
            EngineQuery write = query(Access.READ, SessionSettings.NONE, sql);
            assertThat(failure(() -> Rows.await(reader.execute(write).result())).failure())
                    .isEqualTo(EngineFailure.FORBIDDEN);
        }
        reader.close();
        Rows.await(reader.closed());
    }

    @Test
    void settingsAreAppliedWhenTheyChange() {
        stateless(Access.ADMIN, "create schema s");
        stateless(Access.ADMIN, "create table s.x as select 7 as a");
        EngineQuery inSchema = query(Access.READ, new SessionSettings(null, "s", "Asia/Tokyo"), "select a from x");
        assertThat(Rows.drain(Rows.await(session.execute(inSchema).result()))).containsExactly(List.of(7));
        EngineQuery plain = query(Access.READ, SessionSettings.NONE, "select a from x");
        assertThat(failure(() -> Rows.await(session.execute(plain).result())).failure())
                .isEqualTo(EngineFailure.BINDING);
        assertThat(Rows.drain(Rows.await(session.execute(inSchema).result()))).containsExactly(List.of(7));
    }

    @Test
    void settingsAreTextToo() {
        stateless(Access.ADMIN, "create schema s");
        run(session, "use s");
        assertThat(session.settings().schema()).isEqualTo("s");
        EngineQuery zone = query(Access.READ, session.settings(), "set TimeZone = 'asia/tokyo'");
        Rows.drain(Rows.await(session.execute(zone).result()));
        assertThat(session.settings().timeZone()).isEqualToIgnoringCase("Asia/Tokyo");
        assertThat(session.settings().schema()).isEqualTo("s");
        EngineQuery reset = query(Access.READ, session.settings(), "reset schema");
        Rows.drain(Rows.await(session.execute(reset).result()));
        assertThat(session.settings().schema()).isNull();
        assertThat(failure(() -> run(session, "use nowhere")).failure()).isEqualTo(EngineFailure.BINDING);
    }

    @Test
    void descriptionsSeeTheTransaction() {
        EngineQuery read = query(Access.ADMIN, SessionSettings.NONE, "select * from t");
        assertThat(Rows.await(session.describe(read).result()).schema().getFields())
                .hasSize(1);
        Rows.await(session.begin(false).result());
        run(session, "alter table t add column j int");
        assertThat(Rows.await(session.describe(read).result()).schema().getFields())
                .hasSize(2);
        assertThat(Rows.await(engine.describe(read).result()).schema().getFields())
                .hasSize(1);
        Rows.await(session.commit().result());
        assertThat(Rows.await(engine.describe(read).result()).schema().getFields())
                .hasSize(2);
        run(session, "create temp table t as select 1 as a, 2 as b, 3 as c");
        assertThat(Rows.await(session.describe(read).result()).schema().getFields())
                .hasSize(3);
        assertThat(Rows.await(engine.describe(read).result()).schema().getFields())
                .hasSize(2);
    }

    @Test
    void describingDoesNotBeginTheTransaction() {
        Rows.await(session.begin(false).result());
        Rows.await(session.describe(query(Access.ADMIN, SessionSettings.NONE, "select * from t"))
                .result());
        run(other, "insert into t values (1)");
        assertThat(run(session, "select count(*) from t")).containsExactly(List.of(1L));
        Rows.await(session.rollback().result());
    }

    @Test
    void closingRollsBackAndCancels() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        EngineCall<ArrowResult> running = session.execute(query(Access.ADMIN, SessionSettings.NONE, SLOW));
        session.close();
        Rows.await(session.closed());
        assertThat(failure(() -> Rows.await(running.result())).failure()).isEqualTo(EngineFailure.CANCELLED);
        assertThat(count()).isZero();
        isConflict("08003", () -> run(session, "select 1"));
        isConflict("08003", () -> Rows.await(session.begin(false).result()));
    }

    @Test
    void aSessionThatDidNothingCloses() {
        EngineSession unused = engine.openSession(Access.READ);
        unused.close();
        Rows.await(unused.closed());
    }

    @Test
    void theEnginesEndClosesItsSessions() {
        Rows.await(session.begin(false).result());
        run(session, "insert into t values (1)");
        ArrowResult open = stream(session);
        engine.close();
        Rows.await(session.closed());
        open.close();
        Rows.await(open.stopped());
        assertThat(failure(() -> run(other, "select 1")).failure())
                .isIn(EngineFailure.UNAVAILABLE, EngineFailure.CONFLICT);
    }

    @Test
    void withoutASessionTheyAreRefused() {
        for (String sql : List.of("begin", "use s", "create temp table x (i int)", "insert into temp.x values (1)")) {
            assertThat(failure(() -> stateless(Access.ADMIN, sql)).failure()).isEqualTo(EngineFailure.UNSUPPORTED);
        }
    }
}
