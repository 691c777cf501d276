package dev.weir.gateway.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs another command of this program in a JVM of its own. */
final class ChildProcess {

    private static final String BOOT_LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";

    /** From this Java on the use of sun.misc.Unsafe by Netty and Arrow prints a warning. */
    private static final int UNSAFE_WARNS = 24;

    private ChildProcess() {}

    /**
     * Runs a command and waits; its standard error is ours, its standard output is dropped. It ends when we do.
     *
     * @return its exit code
     */
    static int run(List<String> jvmOptions, List<String> arguments) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(jvmOptions, arguments))
                .redirectInput(new File("/dev/null"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        Thread endWithUs = new Thread(process::destroy, "weir-child-end");
        Runtime.getRuntime().addShutdownHook(endWithUs);
        try {
            return process.waitFor();
        } finally {
            process.destroy();
            removeHook(endWithUs);
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook runs.
        }
    }

    /** The command line: the same Java and class path, and the same view of the terminal. */
    static List<String> command(List<String> jvmOptions, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-Dfile.encoding=UTF-8",
                "-Dweir.terminal=" + Boolean.getBoolean("weir.terminal")));
        if (Runtime.version().feature() >= UNSAFE_WARNS) {
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(jvmOptions);
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(inBootJar() ? BOOT_LAUNCHER : Main.class.getName());
        command.addAll(arguments);
        return command;
    }

    private static boolean inBootJar() {
        try {
            Class.forName(BOOT_LAUNCHER, false, ClassLoader.getSystemClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
