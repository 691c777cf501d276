package dev.weir.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.gateway.cli.query.FakeGateway;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DrainCommandTest {

    private static final String RUNNING = """
            {"state":"DRAINING","graceLeftMs":29000,"queries":[
              {"queryId":"q-7","state":"STREAMING","user":"ann","runningMs":4200}]}""";
    private static final String DRAINED = """
            {"state":"DRAINED","graceLeftMs":28000,"queries":[]}""";
    private static final String SERVING = """
            {"state":"SERVING","queries":[]}""";

    private final TestCli cli = new TestCli();
    private final Deque<String> answers = new ArrayDeque<>();
    private FakeGateway gateway;

    @BeforeEach
    void start() throws IOException {
        gateway = new FakeGateway();
        gateway.drain =
                exchange -> FakeGateway.respond(exchange, 200, "application/json", String.valueOf(answers.poll()));
    }

    @AfterEach
    void stop() {
        gateway.close();
    }

    private int run(String... more) {
        String[] args = new String[5 + more.length];
        System.arraycopy(new String[] {"drain", "--url", gateway.url(), "-u", "root:secret"}, 0, args, 0, 5);
        System.arraycopy(more, 0, args, 5, more.length);
        return cli.run(args);
    }

    private List<String> calls() {
        return gateway.received.stream()
                .map(call -> call.method() + " " + call.path())
                .toList();
    }

    @Test
    void waitsUntilNothingRunsAndTellsWhatDoes() {
        answers.addAll(List.of(RUNNING, RUNNING, DRAINED));

        assertThat(run()).isZero();

        assertThat(calls()).containsExactly("POST /v1/drain", "GET /v1/drain", "GET /v1/drain");
        assertThat(gateway.received.get(0).header("Authorization")).startsWith("Basic ");
        assertThat(cli.err()).isEqualTo("""
                        1 left, cancelled in 29 s:
                          q-7  STREAMING  ann  4 s
                        Nothing runs any more.
                        """);
    }

    @Test
    void whatStillRunsAtTheEndOfTheTimeIsAFailure() {
        answers.addAll(List.of(RUNNING, RUNNING, RUNNING));

        assertThat(run("--timeout", "1ms")).isEqualTo(ExitCode.FAILURE);

        assertThat(cli.err()).contains("q-7").doesNotContain("Nothing runs");
    }

    @Test
    void withoutWaitingItOnlyBegins() {
        answers.add(RUNNING);

        assertThat(run("--no-wait")).isEqualTo(ExitCode.FAILURE);
        assertThat(calls()).containsExactly("POST /v1/drain");
        answers.add(DRAINED);
        assertThat(run("--no-wait")).isZero();
    }

    @Test
    void aDrainThatSomebodyElseEndsIsTold() {
        answers.addAll(List.of(RUNNING, SERVING));

        assertThat(run()).isEqualTo(ExitCode.FAILURE);
        assertThat(cli.err()).contains("weir drain: the drain was ended by somebody else");
    }

    @Test
    void resumeEndsTheDrain() {
        answers.add(SERVING);

        assertThat(run("--resume")).isZero();
        assertThat(calls()).containsExactly("DELETE /v1/drain");
        assertThat(run("--resume", "--no-wait")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void aRefusalIsToldWithItsCode() {
        gateway.drain = exchange -> FakeGateway.respond(exchange, 403, "application/problem+json", """
                {"code":"FORBIDDEN","detail":"A drain needs the role admin; the user has the role reader."}""");

        assertThat(run()).isEqualTo(ExitCode.FAILURE);
        assertThat(cli.err()).contains("weir drain: FORBIDDEN: A drain needs the role admin");
    }
}
