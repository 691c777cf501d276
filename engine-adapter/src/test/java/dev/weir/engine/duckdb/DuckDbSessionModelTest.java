package dev.weir.engine.duckdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.EngineCall;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.EngineSession;
import dev.weir.engine.Rows;
import dev.weir.engine.StatementRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Random statements, cancels, commits and closes of several sessions, against a model of a few numbers. */
class DuckDbSessionModelTest extends DuckDbTestBase {

    @Test
    void sessionsDoWhatTheModelSays() {
        rounds(1_500);
    }

    @Test
    @Tag("full")
    void longRunsDoToo() {
        rounds(20_000);
    }

    private void rounds(int rounds) {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        Random random = new Random(seed);
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            run(Access.ADMIN, "create or replace table t" + i + " (i bigint)");
            clients.add(new Client(i, random));
        }
        for (int round = 0; round < rounds; round++) {
            Client client = clients.get(random.nextInt(clients.size()));
            String step = client.step();
            assertThat(run(Access.READ, "select count(*) from t" + client.number))
                    .as("seed %d, round %d: %s", seed, round, step)
                    .containsExactly(List.of(client.committed));
        }
        clients.forEach(client -> {
            client.session.close();
            Rows.await(client.session.closed());
        });
    }

    private enum Transaction {
        NONE,
        OPEN,
        FAILED
    }

    /** One client, and what should be so. */
    private final class Client {

        private final int number;
        private final Random random;
        private EngineSession session = engine.openSession(Access.WRITE);
        private Transaction transaction = Transaction.NONE;
        private long committed;
        private long visible;
        private long temporary = -1;
        private long temporaryBefore = -1;

        Client(int number, Random random) {
            this.number = number;
            this.random = random;
        }

        String step() {
            switch (random.nextInt(12)) {
                case 0, 1:
                    return begin();
                case 2:
                    return end(true);
                case 3:
                    return end(false);
                case 4, 5:
                    return insert();
                case 6:
                    return read();
                case 7:
                    return readInPart();
                case 8:
                    return cancelInsert();
                case 9:
                    return fail();
                case 10:
                    return temporary();
                default:
                    return random.nextInt(4) == 0 ? reopen() : read();
            }
        }

        private String begin() {
            if (transaction == Transaction.NONE) {
                Rows.await(session.begin(false).result());
                transaction = Transaction.OPEN;
                temporaryBefore = temporary;
            } else {
                conflict(() -> Rows.await(session.begin(false).result()));
            }
            return "begin";
        }

        private String end(boolean commit) {
            EngineCall<Void> call = commit ? session.commit() : session.rollback();
            if (transaction == Transaction.NONE || (commit && transaction == Transaction.FAILED)) {
                conflict(() -> Rows.await(call.result()));
            } else {
                Rows.await(call.result());
            }
            if (transaction != Transaction.NONE) {
                boolean kept = commit && transaction == Transaction.OPEN;
                committed = kept ? visible : committed;
                temporary = kept ? temporary : temporaryBefore;
            }
            visible = committed;
            transaction = Transaction.NONE;
            return commit ? "commit" : "rollback";
        }

        private String insert() {
            int rows = random.nextInt(5_000);
            String sql = "insert into t" + number + " select i from range(" + rows + ") r(i)";
            if (runs(sql)) {
                changed(rows);
            }
            return "insert";
        }

        private void changed(long rows) {
            visible += rows;
            if (transaction == Transaction.NONE) {
                committed = visible;
            }
        }

        private String read() {
            if (transaction == Transaction.FAILED) {
                conflict(() -> statement("select 1"));
                return "read in a failed transaction";
            }
            assertThat(statement("select count(*) from t" + number)).containsExactly(List.of(visible));
            if (temporary >= 0) {
                assertThat(statement("select count(*) from mine")).containsExactly(List.of(temporary));
            }
            return "read";
        }

        private String readInPart() {
            if (transaction == Transaction.FAILED) {
                return read();
            }
            ArrowResult result =
                    Rows.await(session.execute(query(Access.WRITE, "select i, hash(i) from range(1000000) t(i)"))
                            .result());
            for (int i = random.nextInt(3); i > 0; i--) {
                Rows.await(result.next());
            }
            conflict(() -> statement("select 1"));
            result.close();
            return "read in part";
        }

        private String cancelInsert() {
            EngineCall<ArrowResult> call = session.execute(
                    query(Access.WRITE, "insert into t" + number + " select i from range(1000000000) r(i)"));
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(4_000)));
            call.cancel();
            Rows.await(call.stopped());
            // Whether it had begun when it was cancelled decides, and only the engine knows.
            if (transaction == Transaction.OPEN) {
                EngineException failure = catchThrowableOfType(EngineException.class, () -> statement("select 1"));
                transaction = failure == null ? Transaction.OPEN : Transaction.FAILED;
            }
            return "cancel";
        }

        private String fail() {
            if (transaction == Transaction.FAILED) {
                return read();
            }
            EngineException failure = Objects.requireNonNull(catchThrowableOfType(
                    EngineException.class, () -> statement("select error('x') from range(10) t(i)")));
            assertThat(failure.failure()).isEqualTo(EngineFailure.EXECUTION);
            transaction = transaction == Transaction.NONE ? Transaction.NONE : Transaction.FAILED;
            return "fail";
        }

        private String temporary() {
            if (temporary < 0) {
                temporary = runs("create temp table mine as select 1 as a") ? 1 : -1;
            } else if (runs("insert into temp.mine values (1), (2)")) {
                temporary += 2;
            }
            return "temporary";
        }

        private String reopen() {
            EngineCall<ArrowResult> running = random.nextBoolean()
                    ? session.execute(
                            query(Access.WRITE, "select count(*) from range(100000000) a(i), range(100) b(j)"))
                    : null;
            session.close();
            Rows.await(session.closed());
            if (running != null) {
                Rows.await(running.stopped());
            }
            session = engine.openSession(Access.WRITE);
            transaction = Transaction.NONE;
            visible = committed;
            temporary = -1;
            return "reopen";
        }

        private boolean runs(String sql) {
            if (transaction == Transaction.FAILED) {
                conflict(() -> statement(sql));
                return false;
            }
            statement(sql);
            return true;
        }

        private List<List<Object>> statement(String sql) {
            StatementRunner runner = session;
            return Rows.drain(
                    Rows.await(runner.execute(query(Access.WRITE, sql)).result()));
        }

        private static void conflict(Runnable action) {
            EngineException failure = Objects.requireNonNull(catchThrowableOfType(EngineException.class, action::run));
            assertThat(failure.failure()).as(failure.getMessage()).isEqualTo(EngineFailure.CONFLICT);
        }
    }
}
