package dev.weir.engine.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.engine.Access;
import dev.weir.engine.EngineException;
import dev.weir.engine.EngineFailure;
import dev.weir.engine.Rows;
import dev.weir.engine.duckdb.DuckDbEngine;
import dev.weir.engine.duckdb.DuckDbSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A pool without a database, over files. */
class FilesPoolTest {

    @TempDir
    Path directory;

    private DuckDbSettings settings(Map<String, Path> views, Path files) {
        return new DuckDbSettings(
                null, false, directory, List.of(files), views, List.of(), Databases.LIMIT, 1L << 30, 2, 16);
    }

    @Test
    void viewsAnswerFromEveryProcessAndTablesAreRefused() throws Exception {
        Path files = Files.createDirectories(directory.resolve("files/numbers"));
        try (DuckDbEngine writer = DuckDbEngine.open(settings(Map.of(), files))) {
            Rows.drain(Rows.await(writer.execute(Databases.query(
                            "copy (select i from range(1000) t(i)) to '" + files + "/a.parquet'", Access.ADMIN))
                    .result()));
        }
        try (ProcessPoolEngine engine = ProcessPoolEngine.open(new PoolSettings(
                settings(Map.of("numbers", files), files), directory.resolve("processes"), 2, 0, 2, "a.limit"))) {
            for (int i = 0; i < 3; i++) {
                assertThat(Rows.of(engine, Databases.query("select count(*) from numbers", Access.READ)))
                        .containsExactly(List.of(1000L));
            }
            EngineException failure = catchThrowableOfType(
                    EngineException.class,
                    () -> Rows.of(engine, Databases.query("create table t (i int)", Access.ADMIN)));
            assertThat(failure.failure()).isEqualTo(EngineFailure.FORBIDDEN);
            assertThat(engine.info().readOnly()).isTrue();
        }
    }
}
