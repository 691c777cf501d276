package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.weir.auth.Role;
import dev.weir.auth.user.UserStore;
import dev.weir.gateway.config.GatewayApplication;
import dev.weir.gateway.config.RunningGateway;
import dev.weir.gateway.query.DefaultQueryService;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code weir query --flight} against a gateway: what it prints is what it prints over HTTP. */
class QueryOverFlightTest {

    private static final String TYPES = "select i, i::hugeint * 100000000000000000000 as h, i / 7.0 as d,"
            + " case when i % 2 = 0 then null else 'tëxt ' || i end as t, [i, null] as l, {'a': i, 'b': [1]} as s,"
            + " map {'k': i} as m, date '2026-01-31' + i::int as dt, timestamptz '2026-01-31 12:00:00+00' as tz,"
            + " (case i % 2 when 0 then 'red' else 'green' end)::enum('red', 'green') as e, i % 2 = 0 as b,"
            + " 'x'::blob as bl, uuid '11111111-2222-3333-4444-555555555555' as u, null as n from range(3000) t(i)";

    @TempDir
    static Path directory;

    private static RunningGateway gateway;

    private final TestCli cli = new TestCli();

    @BeforeAll
    static void start() throws Exception {
        UserStore users = UserStore.openOrCreate(directory.resolve("users.yaml"), Clock.systemUTC());
        users.add("writer", "secret-word", Role.WRITER, List.of());
        List<String> arguments = new ArrayList<>(List.of("--weir.data-dir=" + directory));
        for (String front : List.of("http", "flight", "management")) {
            arguments.add("--weir." + front + ".port=0");
        }
        arguments.add("--weir.admission.memory.budget=1GB");
        gateway = GatewayApplication.start(arguments, List.of());
        gateway.ready().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void environment() {
        cli.environment.put("WEIR_DATA_DIR", directory.toString());
        cli.environment.put("WEIR_USER", "writer");
        cli.environment.put("WEIR_PASSWORD", "secret-word");
        cli.environment.put("WEIR_URL", "https://localhost:" + gateway.connect().httpPort());
        cli.environment.put("WEIR_FLIGHT_URL", flightUrl());
    }

    private static String flightUrl() {
        return "grpc+tls://localhost:" + gateway.connect().flightPort();
    }

    private int query(String... args) {
        cli.out.reset();
        cli.err.reset();
        List<String> all = new ArrayList<>(List.of("query"));
        all.addAll(List.of(args));
        return cli.run(all.toArray(new String[0]));
    }

    private int flight(String... args) {
        List<String> all = new ArrayList<>(List.of("--flight"));
        all.addAll(List.of(args));
        return query(all.toArray(new String[0]));
    }

    /** The query's own id is in it. */
    private String out() {
        return cli.out().replaceAll("\"queryId\":\"[^\"]+\"", "\"queryId\":\"\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "csv", "json", "ndjson"})
    void everyFormatIsWhatItIsOverHttp(String format) {
        for (String sql : List.of(TYPES, "select 1 as a where false", "select i from range(300000) t(i)")) {
            assertThat(query("--format", format, sql)).as(cli.err()).isZero();
            String expected = out();
            assertThat(flight("--format", format, sql)).as(cli.err()).isZero();
            assertThat(out()).isEqualTo(expected);
            assertThat(cli.err()).isEmpty();
        }
    }

    @Test
    void arrowIsAStreamOfTheSameRows() throws Exception {
        Path file = directory.resolve("rows.arrows");
        assertThat(flight("--format=arrow", "-o", file.toString(), "select i from range(5000) t(i)"))
                .isZero();
        try (var allocator = new org.apache.arrow.memory.RootAllocator();
                var in = Files.newInputStream(file);
                var reader = new org.apache.arrow.vector.ipc.ArrowStreamReader(in, allocator)) {
            long rows = 0;
            while (reader.loadNextBatch()) {
                rows += reader.getVectorSchemaRoot().getRowCount();
            }
            assertThat(rows).isEqualTo(5000);
        }
    }

    @ParameterizedTest
    @CsvSource({"table", "csv", "json"})
    void changesAreCounted(String format) {
        for (String sql : List.of("create or replace table t (i int)", "insert into t values (1), (2)", "from t")) {
            assertThat(query("--format", format, sql)).as(cli.err()).isZero();
            String expected = out();
            assertThat(flight("--format", format, sql)).as(cli.err()).isZero();
            if (!sql.equals("from t")) {
                assertThat(out()).isEqualTo(expected);
            }
        }
    }

    @Test
    void parametersAreBoundAsOverHttp() {
        String[] args = {
            "--format",
            "json",
            "--param",
            "42",
            "--param",
            "1.10",
            "--param",
            "true",
            "--param",
            "null",
            "--param",
            "x y",
            "--param",
            "\"42\"",
            "--param",
            "12345678901234567890123",
            "--param",
            "1e300",
            "select ?, ?, ?, ?, ?, ?, ?, ?"
        };
        assertThat(query(args)).as(cli.err()).isZero();
        String expected = out();
        assertThat(flight(args)).as(cli.err()).isZero();
        assertThat(dataOf(out())).isEqualTo(dataOf(expected));
    }

    private static String dataOf(String json) {
        return json.substring(json.indexOf("\"data\""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1,\n  '日本' from foo",
                "select 1 / 'x'::int",
                "selec",
                "select cast(case when i = 250000 then 'x' else '1' end as int) from range(300000) t(i)",
                "begin"
            })
    void failuresReadAsOverHttp(String sql) {
        assertThat(query("--format", "csv", sql)).isEqualTo(1);
        String expected = cli.err();
        assertThat(flight("--format", "csv", sql)).isEqualTo(1);
        assertThat(cli.err()).isEqualTo(expected);
    }

    @Test
    void aTimeoutAndAWrongPasswordReadAsOverHttp() {
        for (String[] args : List.of(
                new String[] {"--timeout", "100ms", "select count(*) from range(100000000000) t(i) where i % 3 = 4"},
                new String[] {"-u", "writer:wrong", "select 1"})) {
            assertThat(query(args)).isEqualTo(1);
            String expected = cli.err();
            assertThat(flight(args)).isEqualTo(1);
            assertThat(cli.err()).isEqualTo(expected);
        }
    }

    @Test
    void aGatewayThatIsNotThereOrNotTrustedIsNamed() {
        assertThat(flight("--url", "grpc+tls://localhost:1", "select 1")).isEqualTo(1);
        assertThat(cli.err())
                .isEqualTo("weir query: cannot connect to grpc+tls://localhost:1; is the gateway running there?\n");

        cli.environment.put("WEIR_DATA_DIR", "nowhere");
        assertThat(flight("select 1")).isEqualTo(1);
        assertThat(cli.err()).contains("the certificate of localhost is not trusted");
        assertThat(flight("--insecure", "select 1")).as(cli.err()).isZero();
        assertThat(flight("--ca", directory.resolve("tls/cert.pem").toString(), "select 1"))
                .isZero();
        assertThat(flight("--url", "https://localhost:1", "select 1")).isEqualTo(2);
        assertThat(flight("--url", "grpc://example.org:1", "select 1")).isEqualTo(2);
    }

    @Test
    void aReaderOfTheOutputThatGoesAwayEndsTheQuery() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        CliContext context = cli.context();
        CliContext broken =
                new CliContext(context.in(), closed, context.err(), false, context.environment(), context.prompt());
        assertThat(Main.run(
                        broken,
                        request -> 0,
                        "query",
                        "--flight",
                        "--format=csv",
                        "select i from range(1000000000) t(i)"))
                .isEqualTo(141);
        awaitIdle();
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there are no signals to send")
    void interruptingAQueryCancelsItOnTheGateway() throws Exception {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
        command.addAll(ChildProcess.command(
                List.of("-XX:TieredStopAtLevel=1"),
                List.of(
                        "query",
                        "--flight",
                        "--url",
                        flightUrl(),
                        "--insecure",
                        "-u",
                        "writer:secret-word",
                        "--format=csv",
                        "select i from range(100000000000) t(i)")));
        Process process = new ProcessBuilder(command).start();
        try {
            assertThat(process.getInputStream().read()).isEqualTo('i');
            new ProcessBuilder("kill", "-INT", Long.toString(process.pid()))
                    .start()
                    .waitFor();
            Thread drain = new Thread(() -> {
                try {
                    process.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The process is gone.
                }
            });
            drain.start();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(130);
            assertThat(new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8))
                    .isEqualTo("cancelling the query\n");
            drain.join();
        } finally {
            process.destroyForcibly();
        }
        awaitIdle();
    }

    private static void awaitIdle() {
        DefaultQueryService queries = gateway.context().getBean(DefaultQueryService.class);
        await().atMost(Duration.ofSeconds(20)).until(() -> queries.liveQueries().isEmpty());
    }
}
