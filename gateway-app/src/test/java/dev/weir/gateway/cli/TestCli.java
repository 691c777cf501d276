package dev.weir.gateway.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Runs commands in this process with an environment, answers and standard input of the test's own. */
final class TestCli {

    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    final Map<String, String> environment = new HashMap<>();
    final Deque<String> answers = new ArrayDeque<>();
    final List<GatewayStarter.Request> starts = new ArrayList<>();
    byte[] in = new byte[0];
    boolean terminal;
    int startResult;

    CliContext context() {
        return new CliContext(
                new ByteArrayInputStream(in),
                out,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                terminal,
                environment,
                this::answer);
    }

    private @Nullable String answer(String question) {
        return answers.poll();
    }

    int run(String... args) {
        return Main.run(
                context(),
                request -> {
                    starts.add(request);
                    return startResult;
                },
                args);
    }

    String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
