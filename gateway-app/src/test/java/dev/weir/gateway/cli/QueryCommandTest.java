package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.weir.gateway.cli.query.FakeGateway;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueryCommandTest {

    private static final String RESULT = "{\"queryId\":\"q-1\",\"columns\":["
            + "{\"name\":\"n\",\"type\":\"BIGINT\",\"nullable\":true},"
            + "{\"name\":\"t\",\"type\":\"VARCHAR\",\"nullable\":true},"
            + "{\"name\":\"s\",\"type\":\"STRUCT(a INTEGER)\"}],"
            + "\"data\":[[1,\"a\",{\"a\":[1,null]}],[\"9007199254740993\",null,null]],\"rowCount\":2,\"truncated\":false}";

    private final TestCli cli = new TestCli();
    private FakeGateway gateway;

    @TempDir
    Path directory;

    @BeforeEach
    void start() throws IOException {
        gateway = new FakeGateway();
        gateway.query = exchange -> FakeGateway.respond(exchange, 200, "application/json", RESULT);
        cli.environment.put("WEIR_URL", gateway.url());
        cli.environment.put("WEIR_PASSWORD", "secret");
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private int query(String... args) {
        List<String> all = new ArrayList<>(List.of("query"));
        all.addAll(List.of(args));
        return cli.run(all.toArray(new String[0]));
    }

    @Test
    void aResultIsPrintedAsATable() {
        assertThat(query("select 1")).isZero();
        assertThat(cli.out()).isEqualTo("""
                                        n | t    | s
                        ------------------+------+----------------
                                        1 | a    | {"a":[1,null]}
                         9007199254740993 | NULL | NULL
                        (2 rows)
                        """);
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void changedRowsAreCounted() {
        gateway.query = exchange ->
                FakeGateway.respond(exchange, 200, "application/json", "{\"queryId\":\"q-1\",\"updateCount\":3}");

        assertThat(query("delete from t")).isZero();
        assertThat(cli.out()).isEqualTo("3 rows changed\n");
    }

    @ParameterizedTest
    @CsvSource({
        "csv, text/csv",
        "json, application/json",
        "ndjson, application/x-ndjson",
        "arrow, application/vnd.apache.arrow.stream"
    })
    void otherFormatsPassThroughAsTheyCome(String format, String type) {
        gateway.query = exchange -> FakeGateway.respond(exchange, 200, type, "a,ü\r\n1,2\r\n");

        assertThat(query("--format", format, "select 1")).isZero();
        assertThat(cli.out()).isEqualTo("a,ü\r\n1,2\r\n");
        assertThat(gateway.received.get(0).header("Accept")).startsWith(type);
    }

    @Test
    void statementParametersAndCredentialsAreSent() {
        int code = query(
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
                "[1]",
                "--timeout",
                "30s",
                "select ä");

        assertThat(code).isZero();
        FakeGateway.Received request = gateway.received.get(0);
        assertThat(request.body())
                .isEqualTo("{\"sql\":\"select ä\",\"parameters\":[42,1.10,true,null,\"x y\",\"42\",\"[1]\"],"
                        + "\"timeout\":\"30000ms\"}");
        assertThat(request.header("Authorization")).isEqualTo("Basic " + base64("admin:secret"));
        assertThat(request.header("Content-type")).isEqualTo("application/json");
    }

    @Test
    void theUserAndPasswordOfTheOptionWin() {
        assertThat(query("-u", "bob:pass:word", "select 1")).isZero();
        assertThat(gateway.received.get(0).header("Authorization")).isEqualTo("Basic " + base64("bob:pass:word"));
    }

    @Test
    void aMissingPasswordIsAskedFor() {
        cli.environment.remove("WEIR_PASSWORD");
        cli.answers.add("typed");

        assertThat(query("-u", "bob", "select 1")).isZero();
        assertThat(gateway.received.get(0).header("Authorization")).isEqualTo("Basic " + base64("bob:typed"));
    }

    @Test
    void withNobodyToAskAMissingPasswordIsAUsageError() {
        cli.environment.remove("WEIR_PASSWORD");

        assertThat(query("select 1")).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).contains("WEIR_PASSWORD");
        assertThat(gateway.received).isEmpty();
    }

    @Test
    void theStatementCanComeFromAFileOrStandardInput() throws IOException {
        Path file = Files.writeString(directory.resolve("q.sql"), "select 'file'");
        cli.in = "select 'stdin'".getBytes(StandardCharsets.UTF_8);

        assertThat(query("-f", file.toString())).isZero();
        assertThat(query("-")).isZero();
        assertThat(gateway.received)
                .extracting(FakeGateway.Received::body)
                .containsExactly("{\"sql\":\"select 'file'\"}", "{\"sql\":\"select 'stdin'\"}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "--format=xml x",
                "--timeout=soon x",
                "--timeout=0 x",
                "--url=ftp://x x",
                "--url=http://example.org x",
                "-f a b",
                "--nope x",
                "--max-width=many x"
            })
    void aWrongOptionIsAUsageErrorOfOneLine(String args) {
        assertThat(query(args.isEmpty() ? new String[0] : args.split(" "))).isEqualTo(2);
        assertThat(cli.err()).hasLineCount(1).startsWith("weir query: ");
        assertThat(gateway.received).isEmpty();
    }

    @Test
    void aRefusalShowsCodeMessageAndPlace() {
        gateway.query = exchange -> FakeGateway.respond(
                exchange,
                400,
                "application/problem+json",
                "{\"status\":400,\"code\":\"INVALID_SQL\",\"detail\":\"Table with name foo does not exist\","
                        + "\"retryable\":false,\"sqlPosition\":22}");

        assertThat(query("select 1,\n  '日本' from foo")).isEqualTo(1);
        assertThat(cli.err()).isEqualTo("""
                        weir query: INVALID_SQL: Table with name foo does not exist
                            '日本' from foo
                                        ^
                        """);
        assertThat(cli.out()).isEmpty();
    }

    @Test
    void aRetryableRefusalSaysWhen() {
        gateway.query = exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "7");
            FakeGateway.respond(
                    exchange,
                    429,
                    "application/problem+json",
                    "{\"code\":\"QUEUE_FULL\",\"detail\":\"1000 queries wait (max-queued)\",\"retryable\":true}");
        };

        assertThat(query("select 1")).isEqualTo(1);
        assertThat(cli.err()).isEqualTo("weir query: QUEUE_FULL: 1000 queries wait (max-queued); try again in 7 s\n");
    }

    @Test
    void anAnswerOfSomethingElseIsSaidToBeThat() {
        gateway.query = exchange -> FakeGateway.respond(exchange, 502, "text/html", "<html>");

        assertThat(query("select 1")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("502").contains("not one of a Weir gateway");
    }

    @Test
    void aResultThatBreaksOffIsAFailureWithTheGatewaysReason() {
        gateway.query = exchange -> {
            OutputStream out = FakeGateway.begin(exchange, "application/json");
            out.write(RESULT.substring(0, RESULT.indexOf("],\"rowCount")).getBytes(StandardCharsets.UTF_8));
            out.flush();
        };
        gateway.status = exchange -> FakeGateway.respond(
                exchange,
                200,
                "application/json",
                "{\"id\":\"q-1\",\"state\":\"FAILED\",\"error\":{\"code\":\"EXECUTION_FAILED\","
                        + "\"detail\":\"division by zero\"}}");

        assertThat(query("select 1")).isEqualTo(1);
        assertThat(cli.out()).contains("9007199254740993").doesNotContain("rows)");
        assertThat(cli.err())
                .hasLineCount(1)
                .contains("EXECUTION_FAILED: division by zero")
                .contains("not complete");
    }

    @Test
    void aResultThatBreaksOffWithoutAReasonIsAFailureToo() {
        gateway.query = exchange -> breakOff(exchange, "a\r\n1\r\n");

        assertThat(query("--format=csv", "select 1")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("not complete");
    }

    /** Sends part of a body, really, and ends the connection. */
    private static void breakOff(HttpExchange exchange, String part) throws IOException {
        OutputStream out = FakeGateway.begin(exchange, "text/csv");
        out.write(part.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    @Test
    void aFileAppearsOnlyWhenTheResultIsComplete() throws IOException {
        Path file = directory.resolve("out.csv");
        gateway.query = exchange -> breakOff(exchange, "a\r\n");
        assertThat(query("--format=csv", "-o", file.toString(), "select 1")).isEqualTo(1);
        assertThat(directory).isEmptyDirectory();

        gateway.query = exchange -> FakeGateway.respond(exchange, 200, "text/csv", "a\r\n1\r\n");
        assertThat(query("--format=csv", "-o", file.toString(), "select 1")).isZero();
        assertThat(Files.readString(file)).isEqualTo("a\r\n1\r\n");
        assertThat(directory.toFile().list()).containsExactly("out.csv");
    }

    @Test
    void aReaderOfTheOutputThatGoesAwayEndsQuietly() {
        OutputStream closed = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("Broken pipe");
            }
        };
        CliContext context = cli.context();
        CliContext broken =
                new CliContext(context.in(), closed, context.err(), false, context.environment(), context.prompt());

        assertThat(Main.run(broken, request -> 0, "query", "select 1")).isEqualTo(141);
        assertThat(cli.err()).isEmpty();
    }

    @Test
    void aGatewayThatIsNotThereIsNamed() throws IOException {
        String url = gateway.url();
        gateway.close();

        assertThat(query("--url", url, "select 1")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("cannot connect to " + url);
    }

    @Test
    void httpsToAPlainServerIsSaidToBeNoTls() throws IOException {
        try (ServerSocket plain = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> {
                try (Socket socket = plain.accept()) {
                    socket.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            int code = query("--url", "https://127.0.0.1:" + plain.getLocalPort(), "--insecure", "select 1");

            assertThat(code).isEqualTo(1);
            assertThat(cli.err()).hasLineCount(1).contains("no TLS connection");
            assertThat(answer).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    @Test
    void anAuthorityFileWithoutCertificatesIsNamed() throws IOException {
        Path ca = Files.writeString(directory.resolve("ca.pem"), "");

        assertThat(query("--ca", ca.toString(), "select 1")).isEqualTo(1);
        assertThat(cli.err()).hasLineCount(1).contains("ca.pem");
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
