package dev.weir.gateway.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.engine.EngineNode;
import dev.weir.engine.QueryEngine;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A gateway whose queries run in child processes, as its clients see it. */
class IsolationTest {

    private static final String JSON = "application/json";

    private static final String HOG = "select count(*) from unnest(range(100000000))";

    @TempDir
    static Path directory;

    private static Path database;

    /** With a process for each query. */
    private static TestGateway processes;

    @BeforeAll
    static void start() throws Exception {
        database = Oracle.tpch("0.01", directory);
        processes = TestGateway.start(
                directory.resolve("processes"),
                "--weir.engine.duckdb.database=" + database,
                "--weir.engine.duckdb.access=read-only",
                "--weir.engine.duckdb.isolation=process",
                "--weir.engine.duckdb.warm-processes=1",
                "--weir.admission.max-running=2",
                "--weir.admission.short-lane=0",
                "--weir.admission.memory.per-query=300MB");
    }

    @AfterAll
    static void stop() {
        if (processes != null) {
            processes.close();
        }
    }

    private static HttpResponse<String> sql(TestGateway gateway, String user, String sql)
            throws IOException, InterruptedException {
        return gateway.sql(user, JSON, sql);
    }

    private static long pid(EngineNode node) {
        return Long.parseLong(node.address().substring("pid ".length()));
    }

    @Test
    void aQueryThatTakesTooMuchMemoryIsToldItsLimitAndTheNextOneRuns() throws Exception {
        HttpResponse<String> read = sql(processes, TestGateway.READER, "select count(*) as n from lineitem");
        assertThat(read.statusCode()).as(read.body()).isEqualTo(200);
        assertThat(read.body()).contains("60175");
        boolean limited = processes.bean(QueryEngine.class).nodes().stream()
                .allMatch(node -> !node.limit().equals("engine"));
        Assumptions.assumeTrue(limited, "needs a memory limit of the operating system");
        HttpResponse<String> hog = sql(processes, TestGateway.READER, HOG);
        assertThat(hog.statusCode()).as(hog.body()).isEqualTo(422);
        assertThat(hog.body()).contains("MEMORY_LIMIT", "weir.admission.memory.per-query");
        assertThat(sql(processes, TestGateway.READER, "select 42 as x").statusCode())
                .isEqualTo(200);
        assertThat(sql(processes, TestGateway.WRITER, "create table t (i int)").statusCode())
                .isEqualTo(403);
    }

    @Test
    void the22QueriesInProcessesOfTheirOwnEqualTheOracle() throws Exception {
        try (Oracle oracle = Oracle.on(Oracle.copy(database, directory.resolve("oracle.duckdb")))) {
            oracle.assertSameCells(processes);
        }
        assertThat(processes.bean(QueryEngine.class).nodes())
                .isNotEmpty()
                .allMatch(node -> ProcessHandle.of(pid(node)).isPresent());
    }

    @Test
    void aDatabaseInAChildIsThereAgainAfterTheChildWasKilled() throws Exception {
        try (TestGateway gateway = TestGateway.start(
                directory.resolve("data"),
                "--weir.engine.duckdb.database=" + directory.resolve("db.duckdb"),
                "--weir.engine.duckdb.process=child")) {
            assertThat(sql(gateway, TestGateway.WRITER, "create table t as select 42 as x")
                            .statusCode())
                    .isEqualTo(200);
            EngineNode node = gateway.bean(QueryEngine.class).nodes().get(0);
            ProcessHandle.of(pid(node)).orElseThrow().destroyForcibly();
            Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                HttpResponse<String> read = sql(gateway, TestGateway.READER, "select x from t");
                assertThat(read.statusCode()).isEqualTo(200);
                assertThat(read.body()).contains("42");
            });
        }
    }
}
