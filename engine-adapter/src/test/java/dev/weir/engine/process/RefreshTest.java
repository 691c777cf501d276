package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.Access;
import dev.weir.engine.ArrowResult;
import dev.weir.engine.Rows;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database that is read is replaced by renaming another file onto its name. */
class RefreshTest {

    @TempDir
    Path directory;

    @Test
    void newQueriesSeeTheNewFileRunningOnesEndOnTheOldAndNoneFails() throws Exception {
        Path served = Databases.make(
                directory.resolve("served.duckdb"), "create table t as select 0 as v, i from range(2000000) t(i)");
        Path next = Databases.make(
                directory.resolve("next.duckdb"), "create table t as select 1 as v, i from range(2000000) t(i)");
        try (ProcessPoolEngine engine =
                ProcessPoolEngine.open(Databases.pool(served, directory.resolve("processes"), 3, 1L << 30))) {
            ArrowResult old = Rows.await(engine.execute(Databases.query("select v, i from t order by i", Access.READ))
                    .result());
            assertThat(Rows.await(old.next())).isTrue();
            Files.move(next, served, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            for (int i = 0; i < 10; i++) {
                assertThat(Rows.of(engine, Databases.query("select max(v) from t", Access.READ)))
                        .containsExactly(List.of(1));
            }
            assertThat(Rows.of(engine, Databases.query("select min(v) from t", Access.READ)))
                    .containsExactly(List.of(1));
            int last = old.root().getRowCount();
            long rows = last;
            while (Rows.await(old.next())) {
                rows += old.root().getRowCount();
                assertThat(old.root().getVector("v").getObject(0)).isEqualTo(0);
            }
            old.close();
            Rows.await(old.stopped());
            assertThat(rows).isEqualTo(2_000_000);
        }
    }
}
