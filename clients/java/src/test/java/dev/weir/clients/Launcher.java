package dev.weir.clients;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs {@code bin/weir} of this checkout, with the Java that runs the tests. */
final class Launcher {

    static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
    static final Path TARGET = Path.of("target").toAbsolutePath();

    private static final Path JAR = ROOT.resolve("gateway-app/target/weir-app.jar");
    private static final long TIMEOUT_SECONDS = 300;

    private Launcher() {}

    /** What a command left behind. */
    record Result(int exitCode, String out, String err) {}

    static ProcessBuilder builder(Map<String, String> environment, List<String> arguments) {
        if (!Files.exists(JAR)) {
            throw new IllegalStateException(JAR + " is not built: run the tests with mvn verify from the root");
        }
        List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("bin/weir").toString());
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> name.startsWith("WEIR_"));
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        return builder;
    }

    /** Runs a command to its end. */
    static Result run(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        Files.createDirectories(TARGET);
        Path out = Files.createTempFile(TARGET, "weir-", ".out");
        Path err = Files.createTempFile(TARGET, "weir-", ".err");
        Process process = builder(environment, List.of(arguments))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            process.getOutputStream().close();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("weir " + arguments[0] + " did not end: " + Files.readString(err));
            }
            return new Result(
                    process.exitValue(),
                    Files.readString(out, StandardCharsets.UTF_8),
                    Files.readString(err, StandardCharsets.UTF_8));
        } finally {
            process.destroyForcibly();
            Files.delete(out);
            Files.delete(err);
        }
    }

    /** Runs a command that must succeed. */
    static void runOk(Map<String, String> environment, String... arguments) throws IOException, InterruptedException {
        Result result = run(environment, arguments);
        if (result.exitCode() != 0) {
            throw new IllegalStateException("weir " + List.of(arguments) + ": " + result.err());
        }
    }
}
