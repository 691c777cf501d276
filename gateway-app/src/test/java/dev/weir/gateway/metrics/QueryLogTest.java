package dev.weir.gateway.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.engine.StatementKind;
import dev.weir.gateway.query.AdmissionTrail;
import dev.weir.gateway.query.CancelReason;
import dev.weir.gateway.query.Front;
import dev.weir.gateway.query.GatewayErrorCode;
import dev.weir.gateway.query.QuerySnapshot;
import dev.weir.gateway.query.QueryState;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class QueryLogTest {

    private static final long MEGABYTE = 1 << 20;

    @TempDir
    Path directory;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

    @Test
    void everyQueryIsOneLineWithWhatAReplayNeeds() throws Exception {
        Path file = directory.resolve("log").resolve("queries.jsonl");
        try (QueryLog log = open(file, MEGABYTE, 2)) {
            log.done(query("q1", "ann", QueryState.FINISHED, null, null));
            log.done(query("q2", "bob", QueryState.FAILED, GatewayErrorCode.QUEUE_FULL, null));
            log.done(query("q3", "ann", QueryState.CANCELLED, null, CancelReason.CLIENT_GONE));
        }
        List<JsonNode> lines = lines(file);
        assertThat(lines).extracting(line -> line.get("queryId").asString()).containsExactly("q1", "q2", "q3");
        JsonNode first = lines.get(0);
        assertThat(Instant.parse(first.get("submitted").asString()))
                .isEqualTo(Instant.parse("2026-01-02T03:04:05.678Z"));
        assertThat(first.get("user").asString()).isEqualTo("ann");
        assertThat(first.get("front").asString()).isEqualTo("http");
        assertThat(first.get("kind").asString()).isEqualTo("query");
        assertThat(first.get("fingerprint").asString()).isEqualTo("fedcba9876543210");
        assertThat(first.get("queuedMs").asDouble()).isEqualTo(1.25);
        assertThat(first.get("runningMs").asDouble()).isEqualTo(2000.5);
        assertThat(first.get("rows").asLong()).isEqualTo(7);
        assertThat(first.get("batches").asLong()).isEqualTo(1);
        assertThat(first.get("bytes").asLong()).isEqualTo(99);
        assertThat(first.get("reservedBytes").asLong()).isEqualTo(1L << 33);
        assertThat(first.get("outcome").asString()).isEqualTo("finished");
        assertThat(first.has("code")).isFalse();
        assertThat(first.get("overran").asBoolean()).isTrue();
        assertThat(first.get("pauses").asInt()).isEqualTo(3);
        assertThat(first.get("pausedMs").asDouble()).isEqualTo(1.5);
        assertThat(first.get("admission").toString())
                .isEqualTo("[{\"atMs\":0.25,\"decision\":\"granted\",\"place\":\"all\",\"why\":\"known_heavy\"},"
                        + "{\"atMs\":2.5,\"decision\":\"released\"}]");
        assertThat(lines.get(1).get("code").asString()).isEqualTo("QUEUE_FULL");
        assertThat(lines.get(2).get("cancelReason").asString()).isEqualTo(CancelReason.CLIENT_GONE.label());
        assertThat(lines.get(2).get("cancelMs").asDouble()).isEqualTo(12.5);
        assertThat(lost()).isZero();
    }

    @Test
    void anAnswerOfTheLogIsForItsOwnerOnly() throws Exception {
        Path file = directory.resolve("log").resolve("queries.jsonl");
        open(file, MEGABYTE, 2).close();
        assertThat(Files.getPosixFilePermissions(file.getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void unusualNamesStayOnOneLineAndComeBackAsTheyWere() throws Exception {
        Path file = directory.resolve("queries.jsonl");
        List<String> names = List.of(
                "J\u00f6rg", "\u674e", "\ud83d\ude00", "a\nb\r\u0085\u2028\u2029c", "\"},{\"", "\u202eabc", "\ud800");
        try (QueryLog log = open(file, MEGABYTE, 2)) {
            names.forEach(name -> log.done(query("q", name, QueryState.FINISHED, null, null)));
        }
        assertThat(lines(file)).extracting(line -> line.get("user").asString()).containsExactlyElementsOf(names);
        assertThat(Files.readAllBytes(file)).as("ASCII only").doesNotContain((byte) 0xe2, (byte) '?');
    }

    @Test
    void aFullFileIsRotatedAndTheOldestGoes() throws Exception {
        Path file = directory.resolve("queries.jsonl");
        int count = 200;
        try (QueryLog log = open(file, 4_000, 3)) {
            for (int i = 0; i < count; i++) {
                log.done(query("q" + i, "ann", QueryState.FINISHED, null, null));
            }
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files.map(path -> path.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "queries.jsonl", "queries.1.jsonl", "queries.2.jsonl", "queries.3.jsonl");
        }
        List<JsonNode> kept = new ArrayList<>();
        for (String name : List.of("queries.3.jsonl", "queries.2.jsonl", "queries.1.jsonl", "queries.jsonl")) {
            Path part = directory.resolve(name);
            assertThat(Files.size(part)).as(name).isLessThan(5_000);
            kept.addAll(lines(part));
        }
        int first = count - kept.size();
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).get("queryId").asString()).isEqualTo("q" + (first + i));
        }
    }

    @Test
    void theNextStartGoesOnInTheSameFile() throws Exception {
        Path file = directory.resolve("queries.jsonl");
        for (int start = 0; start < 2; start++) {
            try (QueryLog log = open(file, MEGABYTE, 2)) {
                log.done(query("q" + start, "ann", QueryState.FINISHED, null, null));
            }
        }
        assertThat(lines(file))
                .extracting(line -> line.get("queryId").asString())
                .containsExactly("q0", "q1");
    }

    @Test
    void aFullDiskLosesLinesThatAreCountedAndTheLogComesBackByItself() throws Exception {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.exists(full), "no /dev/full here to stand for a full disk");
        Path file = Files.createSymbolicLink(directory.resolve("queries.jsonl"), full);
        try (QueryLog log = open(file, MEGABYTE, 2)) {
            for (int i = 0; i < 50; i++) {
                log.done(query("q" + i, "ann", QueryState.FINISHED, null, null));
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> lost() == 50);
            Files.delete(file);
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                log.done(query("later", "ann", QueryState.FINISHED, null, null));
                return Files.exists(file) && Files.size(file) > 0;
            });
        }
        assertThat(lines(file)).isNotEmpty();
    }

    @Test
    void aDiskThatHangsHoldsNoQueryAndWhatIsDroppedIsCounted() throws Exception {
        Path file = directory.resolve("queries.jsonl");
        assumeTrue(
                new ProcessBuilder("mkfifo", file.toString()).start().waitFor() == 0,
                "no named pipes here to stand for a disk that hangs");
        int count = 12_000;
        try (RandomAccessFile slow = new RandomAccessFile(file.toFile(), "rw")) {
            QueryLog log = open(file, MEGABYTE, 2);
            for (int i = 0; i < count; i++) {
                log.done(query("q" + i, "ann", QueryState.FINISHED, null, null));
            }
            double lost = lost();
            assertThat(lost).isBetween(1_000.0, 2_000.0);
            CompletableFuture<Integer> read = CompletableFuture.supplyAsync(() -> readLines(slow, count - (int) lost));
            assertThat(read.get(30, TimeUnit.SECONDS)).isEqualTo(count - (int) lost);
            log.close();
            assertThat(lost()).isEqualTo(lost);
        }
    }

    @Test
    void aPathThatCannotBeWrittenIsRefusedAtOnce() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");
        assertThatThrownBy(() -> open(file.resolve("queries.jsonl"), MEGABYTE, 2))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> open(directory, MEGABYTE, 2)).isInstanceOf(IOException.class);
    }

    @Test
    void aNameThatLoggingLibrariesTakeForAPatternIsJustAName() throws Exception {
        for (String name : List.of("100%i.jsonl", "%d{yyyy}.jsonl", "a\\%i(b).jsonl", "plain%", "queries.jsonl.gz")) {
            Path log = directory.resolve("%n logs").resolve(name.replace(".", "_"));
            Path file = log.resolve(name);
            try (QueryLog open = open(file, 4_000, 25)) {
                for (int i = 0; i < 300; i++) {
                    open.done(query("q" + i, "ann", QueryState.FINISHED, null, null));
                }
            }
            int dot = name.lastIndexOf('.');
            String stem = dot > 0 ? name.substring(0, dot) : name;
            List<String> rotated = new ArrayList<>(List.of(name));
            for (int i = 1; i <= 25; i++) {
                rotated.add(stem + "." + i + name.substring(stem.length()));
            }
            try (Stream<Path> files = Files.list(log)) {
                assertThat(files.map(path -> path.getFileName().toString()))
                        .as(name)
                        .containsExactlyInAnyOrderElementsOf(rotated);
            }
            assertThat(lines(file)).as(name).isNotEmpty();
            assertThat(lines(log.resolve(rotated.get(1)))).as("not compressed").isNotEmpty();
        }
    }

    @Test
    void aGapInTheNumbersIsFilledAndNothingElseIsLost() throws Exception {
        Path file = directory.resolve("queries.jsonl");
        for (String name : List.of("queries.jsonl", "queries.1.jsonl", "queries.3.jsonl")) {
            Files.writeString(directory.resolve(name), name);
        }
        NumberedFiles rotation = new NumberedFiles(file, 5);
        rotation.rollover();
        assertThat(file).doesNotExist();
        assertThat(directory.resolve("queries.1.jsonl")).hasContent("queries.jsonl");
        assertThat(directory.resolve("queries.2.jsonl")).hasContent("queries.1.jsonl");
        assertThat(directory.resolve("queries.3.jsonl")).hasContent("queries.3.jsonl");
        Files.writeString(file, "newer");
        assertThat(new NumberedFiles(file, 1).getActiveFileName()).isEqualTo(file.toString());
        new NumberedFiles(file, 1).rollover();
        assertThat(directory.resolve("queries.1.jsonl")).hasContent("newer");
    }

    private QueryLog open(Path file, long maxBytes, int maxFiles) throws IOException {
        return QueryLog.toFile(new QueryLogSettings(file, maxBytes, maxFiles), meters);
    }

    private double lost() {
        return meters.get(WeirMeter.QUERY_LOG_LOST.meterName()).counter().count();
    }

    private static int readLines(RandomAccessFile in, int wanted) {
        try {
            int lines = 0;
            byte[] buffer = new byte[65_536];
            while (lines < wanted) {
                int read = in.read(buffer);
                for (int i = 0; i < read; i++) {
                    lines += buffer[i] == '\n' ? 1 : 0;
                }
            }
            return lines;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<JsonNode> lines(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
            return lines.map(line -> JsonMapper.shared().readTree(line)).toList();
        }
    }

    private static QuerySnapshot query(
            String id, String user, QueryState state, @Nullable GatewayErrorCode code, @Nullable CancelReason reason) {
        return new QuerySnapshot(
                id,
                user,
                Front.HTTP,
                state,
                StatementKind.QUERY,
                0xfedcba9876543210L,
                Instant.parse("2026-01-02T03:04:05.678Z"),
                Duration.ofNanos(1_250_000),
                Duration.ofNanos(2_000_500_000),
                7,
                1,
                99,
                1L << 33,
                "etl",
                "heavy",
                null,
                new AdmissionTrail(
                        List.of(
                                new AdmissionTrail.Step(
                                        AdmissionTrail.Decision.GRANTED,
                                        Duration.ofNanos(250_000),
                                        "all",
                                        "known_heavy"),
                                new AdmissionTrail.Step(
                                        AdmissionTrail.Decision.RELEASED, Duration.ofNanos(2_500_000), null, null)),
                        3,
                        Duration.ofNanos(1_500_000),
                        true),
                null,
                null,
                null,
                null,
                reason,
                reason == null ? null : QueryState.RUNNING,
                reason == null ? null : Duration.ofNanos(12_500_000),
                code,
                null,
                null,
                Map.of(),
                null);
    }
}
