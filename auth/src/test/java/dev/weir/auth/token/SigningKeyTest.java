package dev.weir.auth.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SigningKeyTest {

    @TempDir
    private Path dataDir;

    @Test
    void theKeyIsMadeOnceForItsOwnerOnly() throws IOException {
        byte[] first = SigningKey.loadOrCreate(dataDir).derive("x");
        byte[] second = SigningKey.loadOrCreate(dataDir).derive("x");

        assertThat(second).isEqualTo(first);
        assertThat(mode("keys/token.key")).isEqualTo("rw-------");
        assertThat(mode("keys")).isEqualTo("rwx------");
    }

    @Test
    void noTwoDataDirectoriesHaveTheSameKey() throws IOException {
        assertThat(SigningKey.loadOrCreate(dataDir.resolve("a")).derive("x"))
                .isNotEqualTo(SigningKey.loadOrCreate(dataDir.resolve("b")).derive("x"));
    }

    @Test
    void eachPurposeHasAKeyOfItsOwn() throws IOException {
        SigningKey key = SigningKey.loadOrCreate(dataDir);
        byte[] secret = Files.readAllBytes(dataDir.resolve("keys/token.key"));

        assertThat(key.derive("a")).isNotEqualTo(key.derive("b")).isNotEqualTo(secret);
    }

    @Test
    void aFileOfAnotherSizeIsRefused() throws IOException {
        Path file = dataDir.resolve("keys/token.key");
        Files.createDirectories(file.getParent());
        for (int size : new int[] {0, 31, 33, 5000}) {
            Files.write(file, new byte[size]);
            assertThatIOException().isThrownBy(() -> SigningKey.loadOrCreate(dataDir));
        }
    }

    @Test
    void threadsThatStartAtOnceEndWithTheSameKey() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(8);
        CyclicBarrier start = new CyclicBarrier(8);
        List<Future<byte[]>> keys = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            keys.add(threads.submit(() -> {
                start.await(10, TimeUnit.SECONDS);
                return SigningKey.loadOrCreate(dataDir).derive("x");
            }));
        }
        Set<String> distinct = new HashSet<>();
        for (Future<byte[]> key : keys) {
            distinct.add(HexFormat.of().formatHex(key.get(20, TimeUnit.SECONDS)));
        }
        threads.shutdownNow();

        assertThat(distinct).hasSize(1);
    }

    @Test
    void processesThatStartAtOnceEndWithTheSameKey() throws Exception {
        List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            processes.add(startProcess());
        }
        Set<String> distinct = new HashSet<>();
        for (Process process : processes) {
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).as(output).isZero();
            distinct.add(output.lines().reduce((a, b) -> b).orElseThrow());
        }

        assertThat(distinct).hasSize(1).allMatch(line -> line.matches("[0-9a-f]{64}"));
    }

    private Process startProcess() throws IOException {
        List<String> command = new ArrayList<>(Arrays.asList(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                dataDir.toString()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private String mode(String file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(dataDir.resolve(file)));
    }

    /** Prints the key of a data directory, as another gateway would use it. */
    static final class Main {

        private Main() {}

        public static void main(String[] arguments) throws IOException {
            SigningKey key = SigningKey.loadOrCreate(Path.of(arguments[0]));
            System.out.println(HexFormat.of().formatHex(key.derive("x")));
        }
    }
}
